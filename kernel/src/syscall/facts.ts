// CallFacts: what must be looked up about processes and files to describe a call.

import type { Journal } from "../journal/journal.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { FileRow, HoldingRow, ProcessRow } from "../store/rows.ts";
import type { DeviceLookup, FileLookup, FindProcess } from "./lookups.ts";

/** What must be looked up before a call can be described. */
export interface CallFacts {
  readonly target?: ProcessRow | undefined;
  /** The file that a write or a removal would replace. */
  readonly replaced?: FileRow | undefined;
  readonly standing?: readonly HoldingRow[] | undefined;
}

export const NO_FACTS: CallFacts = {};

interface Places {
  readonly devices: DeviceLookup;
  readonly journal: Journal;
  readonly files: FileLookup;
  readonly find: FindProcess;
}

/** The calls that are about a process, and the argument that names it. */
const TARGETS: ReadonlyMap<string, "pid" | "to" | "from"> = new Map([
  ["wait", "pid"],
  ["signal", "pid"],
  ["send", "to"],
  ["request", "to"],
  ["grant", "to"],
  ["spawn", "from"],
]);

/**
 * A trusted process replaces nothing that is more trusted, and most tools are there from the start: most
 * calls need no look.
 */
export function needsFacts(
  process: Process,
  { name, args }: Pick<PendingCall, "name" | "args">,
  devices: DeviceLookup,
): boolean {
  if (name === "exec") return !devices.isPlugged(toolOf(args));
  if (name === "write" || name === "remove") return process.label.integrity !== "trusted";
  return TARGETS.has(name);
}

export async function look(
  { journal, files, find, devices }: Places,
  process: Process,
  call: Pick<PendingCall, "name" | "args">,
): Promise<CallFacts> {
  if (call.name === "exec" && !devices.isPlugged(toolOf(call.args)))
    await devices.prepare(process.scope);
  const named = targetOf(call);
  const target = named === undefined ? undefined : await find(process, named);
  const { path, fd, agent } = (call.args ?? {}) as Readonly<Record<string, unknown>>;
  if (call.name === "spawn" && typeof agent === "string")
    return {
      ...(target && { target }),
      standing: await journal.store.standing(process.tenant, agent),
    };
  if (target !== undefined) return { target };
  const place = path ?? process.streams.get(fd as number)?.path; // to add to a file changes it as well
  if ((call.name === "write" || call.name === "remove") && typeof place === "string")
    return { replaced: await files.peek(process, place) };
  return NO_FACTS;
}

/** The pid that a call is about, where it is about one. */
function targetOf(call: Pick<PendingCall, "name" | "args">): string | undefined {
  const named = TARGETS.get(call.name);
  const pid =
    named && (call.args as { pid?: unknown; to?: unknown; from?: unknown } | null)?.[named];
  return typeof pid === "string" && pid.startsWith("agt_") ? pid : undefined; // others are EINVAL
}

const toolOf = (args: PendingCall["args"]): string => {
  const tool = (args as { tool?: unknown } | null)?.tool;
  return typeof tool === "string" ? tool : "";
};
