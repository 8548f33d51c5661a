import type { Kernel } from "@aos/kernel";
import { type Ending, type ProcessId, SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { interrupt, awaitReply } from "./client-run.ts";

const pid = "agt_01m7g2aden5w8nsgef1vwew4zn" as ProcessId;
const run = { pid, isPlain: false, isLive: true };
const running = { pid, state: "running", exitCode: null, output: null, error: null } as Ending;
const never = new AbortController().signal;

function kernelIn(state: Ending["state"]) {
  const sent: string[] = [];
  const kernel = {
    signal: async (_: string, signal: string) => void sent.push(signal),
    wait: async () => ({ ...running, state }),
  } as unknown as Kernel;
  return { kernel, sent };
}

test("OPENAI-RUN-2: who hangs up interrupts; what does not end by that is ended", async () => {
  const quick = kernelIn("failed");
  const slow = kernelIn("running");

  await interrupt(quick.kernel, pid);
  await interrupt(slow.kernel, pid);

  expect(quick.sent).toEqual(["SIGINT"]);
  expect(slow.sent).toEqual(["SIGINT", "SIGTERM"]);
});

test("OPENAI-RUN-2: a daemon that stops says so, and that the run goes on", async () => {
  const { kernel, sent } = kernelIn("running");
  const closing = AbortSignal.abort();

  const waiting = awaitReply(kernel, run, { gone: never, closing });

  await expect(waiting).rejects.toMatchObject({
    code: "EINTR",
    hint: expect.stringContaining(pid),
  });
  expect(sent).toEqual([]);
});

test("a run that failed is its failure", async () => {
  const error = { code: "EBUDGET", message: "no money" } as const;
  const kernel = { wait: async () => ({ ...running, state: "failed", error }) };

  const waiting = awaitReply(kernel as unknown as Kernel, run, { gone: never, closing: never });

  await expect(waiting).rejects.toEqual(SysError.from(error));
});
