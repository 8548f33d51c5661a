// Facts: what must be looked up of other processes and of files before a call can be described.

import type { Journal } from "../journal/journal.ts";
import type { Call, Process } from "../process/process.ts";
import type { FileRow, HoldingRow, ProcessRow } from "../store/rows.ts";
import type { Files } from "../vfs/files.ts";

/** What must be looked up before a call can be described. */
export interface Facts {
  readonly target?: ProcessRow | undefined;
  /** The file that a write or a removal would replace. */
  readonly replaced?: FileRow | undefined;
  readonly standing?: readonly HoldingRow[] | undefined;
}

export const NO_FACTS: Facts = {};

interface Places {
  readonly journal: Journal;
  readonly files: Files;
  readonly find: (process: Process, pid: string) => Promise<ProcessRow>;
}

const LOOKED_UP: ReadonlySet<string> = new Set([
  "spawn",
  "wait",
  "signal",
  "send",
  "request",
  "grant",
]);

/** A trusted process replaces nothing that is more trusted: most calls need no look. */
export function needsFacts(process: Process, { name }: Pick<Call, "name">): boolean {
  if (name === "write" || name === "remove") return process.label.integrity !== "trusted";
  return LOOKED_UP.has(name);
}

export async function look(
  { journal, files, find }: Places,
  process: Process,
  call: Pick<Call, "name" | "args">,
): Promise<Facts> {
  const target = targetOf(call);
  if (target !== undefined) return { target: await find(process, target) };
  const { path, agent } = (call.args ?? {}) as { path?: unknown; agent?: unknown };
  if (call.name === "spawn" && typeof agent === "string")
    return { standing: await journal.store.standing(process.tenant, agent) };
  if ((call.name === "write" || call.name === "remove") && typeof path === "string")
    return { replaced: await files.peek(process, path) };
  return NO_FACTS;
}

/** The pid that a call is about, where it is about one. */
function targetOf(call: Pick<Call, "name" | "args">): string | undefined {
  const args = call.args as { pid?: unknown; to?: unknown } | null;
  const pid =
    call.name === "wait" || call.name === "signal"
      ? args?.pid
      : call.name === "send" || call.name === "request" || call.name === "grant"
        ? args?.to
        : undefined;
  return typeof pid === "string" && pid.startsWith("agt_") ? pid : undefined; // others are EINVAL
}
