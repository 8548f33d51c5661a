// Writing: whether a call changes anything, for security.md's `read_only`.

import type { Subject } from "./subject.ts";

const WRITING_VERBS: Readonly<Record<string, readonly string[]>> = {
  file: ["write", "remove"],
  memory: ["write", "remove"],
  http: ["post", "put", "patch", "delete"],
  browser: ["click", "fill"],
  shell: ["exec"],
  agent: ["spawn"],
  message: ["send", "publish"],
  signal: ["send"],
};

/**
 * By what it touches, by where it goes, or by the tool's own word. To be seen from outside is not
 * writing: a search asks the world and changes nothing.
 */
export function isWriting({ call, tool, effect, sinks, touches }: Subject): boolean {
  if (sinks.includes("write") || sinks.includes("destructive") || effect === "external")
    return true;
  if (tool !== undefined && effect !== "read") return true;
  // Kin need no capability to talk, and so touch nothing.
  if (["send", "request", "publish", "signal", "spawn"].includes(call)) return true;
  return touches.some(({ kind, verb }) => WRITING_VERBS[kind]?.includes(verb));
}
