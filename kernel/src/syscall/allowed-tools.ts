// Allowed tools: enforces the tools of skills where calls are described: neither model nor program can bypass it.
//
// ALLOWED-TOOLS-1  A tool call, and a system call that models know as a tool, is refused unless every skill that was
//     read allows that tool.
// ALLOWED-TOOLS-2  What a program needs to continue is no tool: asking the model, reading what is its own (/self,
//     /skills, /ctx and the like), the time, ending; and for a persistent agent, receiving and answering.

import { isOwnPath, mountOf, SysError, syscallTools, type SyscallName } from "@aos/protocol";
import { keptFrom, narrowingOf } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";
import { workCall } from "./work-files.ts";

/** These read what is the process's own (ALLOWED-TOOLS-2). */
const FREE: ReadonlySet<string> = new Set([
  "context.read",
  "context.search",
  "result.read",
  "skill.read",
]);

const spelled = Map.groupBy(
  syscallTools.filter(({ name }) => !FREE.has(name)),
  ({ call }) => call,
);

const READING: ReadonlySet<SyscallName> = new Set(["read", "list", "search"] as const);

/** To look at messages is to receive them. */
const isOwn = (path: unknown): boolean =>
  typeof path === "string" && isOwnPath(path) && mountOf(path)?.driver !== "messages";

type Given = Readonly<Record<string, unknown>>;

const isLivingOn = ({ manifest }: Process, call: SyscallName, args: Given): boolean =>
  manifest.persistent === true &&
  (call === "receive" ? Object.keys(args).length === 0 : call === "send" && "replyTo" in args);

/** The tools that a call is, any of which allows it; none for what is no tool. */
function toolsOf(
  process: Process,
  call: SyscallName,
  args: Given,
  isSemantic: (name: string) => boolean,
): readonly string[] {
  if (call === "exec") return [args["tool"] as string];
  const work = workCall(call, args, isSemantic);
  if (work !== undefined) return [work.tool];
  if (isLivingOn(process, call, args)) return [];
  const paths = [args["path"], ...((args["also"] as string[] | undefined) ?? [])];
  if (READING.has(call) && paths.every(isOwn)) return [];
  if (call === "open") return [args["mode"] === "append" ? "memory.write" : "memory.read"];
  const isIn = (within: readonly string[]) =>
    paths.every((path) => within.some((place) => `${String(path)}/`.startsWith(`${place}/`)));
  return (spelled.get(call) ?? [])
    .filter(({ within }) => within.length === 0 || isIn(within))
    .map(({ name }) => name);
}

/** ALLOWED-TOOLS-1. Throws EPOLICY. */
export function refuseNarrowed(
  process: Process,
  call: SyscallName,
  args: unknown,
  isSemantic: (name: string) => boolean = () => false,
): void {
  if (narrowingOf(process).length === 0) return;
  const tools = toolsOf(process, call, args as Given, isSemantic);
  const [by] = tools.map((tool) => keptFrom(process, tool));
  if (by === undefined || tools.some((tool) => keptFrom(process, tool) === undefined)) return;
  const [tool] = tools;
  throw new SysError("EPOLICY", `the skill ${by.skill} does not allow ${tool}`, {
    hint: `since it was read these are left: ${by.tools.join(" ") || "none"}`,
    detail: { skill: by.skill, allowed: [...by.tools] },
  });
}
