// Narrowing: what a skill that a process had read does not allow, as docs/skills.md says it.

import type { JournalRecord, Narrowing } from "@aos/protocol";
import type { Past } from "./past.ts";

/** The tool that a system call is, for models. */
const TOOL: Readonly<Record<string, string>> = {
  spawn: "agent.spawn",
  wait: "agent.wait",
  read: "memory.read",
  write: "memory.write",
  list: "memory.list",
  search: "memory.search",
  remove: "memory.remove",
  send: "message.send",
  receive: "message.receive",
  request: "message.request",
  publish: "message.publish",
  subscribe: "message.subscribe",
  ask: "person.ask",
};

interface Args {
  readonly tool?: string;
  readonly path?: string;
  readonly also?: readonly string[];
  readonly mode?: string;
  readonly replyTo?: string;
}

/** As far as it was told so itself. */
const livesOn = ({ records }: Past["life"]): boolean =>
  records.some(
    (record) =>
      record.kind === "call" &&
      (record.args as Args | null)?.path === "/self/manifest" &&
      (record.ok as { persistent?: boolean } | null)?.persistent === true,
  );

function toolOf({ call, args, life }: Past): string | undefined {
  const { tool, path, also = [], mode, replyTo } = (args ?? {}) as Args;
  const isItsLife =
    (call === "receive" && Object.keys(args ?? {}).length === 0) ||
    (call === "send" && replyTo !== undefined);
  if (isItsLife && livesOn(life)) return undefined;
  if (call === "exec") return tool;
  if (call === "open") return mode === "append" ? "memory.write" : "memory.read";
  const tops = [path ?? "", ...also].map((one) => one.split("/")[1] ?? "");
  const isFree =
    ["read", "list", "search"].includes(call) &&
    tops.every((top) => ["ctx", "self", "skills"].includes(top));
  return isFree ? undefined : TOOL[call];
}

const fits = (name: string, pattern: string): boolean =>
  pattern.at(-1) === "*" ? name.indexOf(pattern.slice(0, -1)) === 0 : name === pattern;

const narrowingIn = (record: JournalRecord): Narrowing =>
  "narrowing" in record ? (record.narrowing ?? []) : [];

/** The skill that should have kept a call back which was done: it had been read when the call was made. */
export function skillAgainst(past: Past): string | undefined {
  const { life, begun, came } = past;
  const tool = toolOf(past);
  if (came.err !== undefined || tool === undefined) return undefined;
  const known = typeof begun.cause === "number" ? begun.cause : -1;
  return life.records
    .filter(({ seq }) => seq <= known)
    .flatMap(narrowingIn)
    .find(({ tools }) => !tools.some((pattern) => fits(tool, pattern)))?.skill;
}
