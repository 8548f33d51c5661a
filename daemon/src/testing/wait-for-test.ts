// Wait for test: waits for the end of a test's process, and gives the answers of its person meanwhile.
//
// WAIT-FOR-TEST-1  Where the test expects the process to wait, the test is over once the process waits for a message
//     that no process is left to send.
// WAIT-FOR-TEST-2  A process over its time limit is killed, which is a problem of the test.

import type { Kernel } from "@aos/kernel";
import { isEnded, SysError, type Ending } from "@aos/protocol";
import type { TestPerson } from "./test-person.ts";

const LOOK_MS = 10;
/** Looks in a row at which nothing has moved. */
const STILL = 5;

export interface TestWait {
  readonly person: TestPerson;
  readonly timeoutMs: number;
  /** WAIT-FOR-TEST-1. */
  readonly mayWait: boolean;
  readonly tell: (problem: string) => void;
  readonly signal: AbortSignal | undefined;
}

export async function waitForTest(kernel: Kernel, pid: string, waiting: TestWait): Promise<Ending> {
  const { person, timeoutMs, mayWait, tell, signal } = waiting;
  const since = performance.now();
  let still = 0;
  let seen = "";
  for (;;) {
    const ending = await kernel.wait(pid, { timeoutMs: LOOK_MS });
    if (isEnded(ending.state)) return kernel.wait(pid);
    if (signal?.aborted === true) throw new SysError("EINTR", "the tests were stopped");
    await person.answerAll();
    const now = mayWait ? await standstill(kernel) : undefined;
    still = now !== undefined && now === seen ? still + 1 : 0;
    seen = now ?? "";
    if (still >= STILL) return ending; // WAIT-FOR-TEST-1
    if (performance.now() - since < timeoutMs) continue;
    const { waitingOn } = await kernel.show(pid);
    tell(
      `it did not end within ${timeoutMs} ms${waitingOn === null ? "" : `: it waits on ${waitingOn}`}`,
    );
    await kernel.signal(pid, "SIGKILL"); // WAIT-FOR-TEST-2
    return kernel.wait(pid);
  }
}

const ON_OTHERS: ReadonlySet<string> = new Set(["message", "child"]);

/** Where everybody is, if all that live wait for others; undefined while somebody can go on. */
async function standstill(kernel: Kernel): Promise<string | undefined> {
  const living = (await kernel.list({ limit: 10_000 })).filter(({ state }) => !isEnded(state));
  if (!living.every(({ waitingOn }) => waitingOn !== null && ON_OTHERS.has(waitingOn)))
    return undefined;
  const shown = await Promise.all(living.map(({ pid }) => kernel.show(pid)));
  return shown.map(({ pid, records }) => `${pid} ${records}`).join(" ");
}
