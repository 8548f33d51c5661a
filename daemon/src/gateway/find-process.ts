// Resolves a process reference: a pid, a unique beginning of one, the name of a run, or `@last`, the newest process
// without a parent. Of several runs that had a name, the one that lives is meant, or else the newest.
// Processes that read-only commands start for themselves do not count as last.

import { isProcessId, RUN_NAME, SysError, type ProcessId } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";

const PAGE = 500;
const NAMED = 5;

type Lister = Pick<Kernel, "list" | "show">;

/** Programs that look something up, by the agents that they run as: `mem search` and `model test`. */
const LOOKING: Readonly<Record<string, string>> = {
  "memory-search": "recall",
  "model-test": "ask",
};

export async function findProcess(kernel: Lister, text: string): Promise<ProcessId> {
  if (isProcessId(text)) return text;
  if (text === "@last") return lastProcess(kernel);
  const named = await namedProcess(kernel, text);
  if (named !== undefined) return named;

  const beginning = text.startsWith("agt_") ? text : `agt_${text}`;
  const listed = await kernel.list({ prefix: beginning, limit: NAMED + 1 });
  const found = listed.map(({ pid }) => pid);
  if (found[0] === undefined) {
    throw new SysError("ENOENT", `no process is called ${text}, and no pid begins with it`, {
      hint: "`aos ps -a` lists all processes",
    });
  }
  if (found.length > 1) {
    const names = found.slice(0, NAMED).join(", ") + (found.length > NAMED ? ", …" : "");
    throw new SysError("EINVAL", `several process ids begin with ${text}: ${names}`, {
      hint: "use a longer prefix",
    });
  }
  return found[0];
}

async function namedProcess(kernel: Lister, text: string): Promise<ProcessId | undefined> {
  if (!RUN_NAME.test(text)) return undefined;
  const listed = await kernel.list({ name: text });
  const living = listed.filter(({ endedAt }) => endedAt === null);
  if (living.length > 1) {
    const pids = living.map(({ pid }) => pid).join(", ");
    throw new SysError("EINVAL", `several running processes are named ${text}: ${pids}`, {
      hint: "use a pid",
    });
  }
  return (living[0] ?? listed[0])?.pid;
}

async function lastProcess(kernel: Lister): Promise<ProcessId> {
  for await (const { pid, parent, agent } of newestFirst(kernel)) {
    if (parent !== null) continue;
    if (!Object.hasOwn(LOOKING, agent) || (await kernel.show(pid)).program !== LOOKING[agent])
      return pid;
  }
  throw new SysError("ENOENT", "there is no last process: no process was started yet", {
    hint: "start one with `aos run`",
  });
}

async function* newestFirst(kernel: Lister) {
  let page = await kernel.list({ limit: PAGE });
  while (page.length > 0) {
    yield* page;
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < PAGE) return;
    page = await kernel.list({ limit: PAGE, before: oldest.pid });
  }
}
