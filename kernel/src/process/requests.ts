// Requests: which calls of a process wait for an answer of another one.

import { REPLY } from "../bus/mailbox.ts";
import type { Process } from "./process.ts";

/** What the answer to a request names: it comes from the call itself, so that a second life finds it again. */
export const requestId = (pid: string, n: number): string => `${pid}.${n}`;

/** Is this the id of a request that a process made, open or not? */
export const isRequestOf = (pid: string, id: string): boolean =>
  id.startsWith(`${pid}.`) && /^\d+$/.test(id.slice(pid.length + 1));

/** The call under this id that waits for `from`, while the process is loaded and has lived through its journal. */
export function openRequest({ pid, pending }: Process, id: string | null, from: string) {
  if (id === null || !isRequestOf(pid, id)) return undefined;
  const call = pending.get(Number(id.slice(pid.length + 1)));
  const isIt = call?.name === "request" && (call.args as { to?: unknown } | null)?.to === from;
  return isIt ? call : undefined;
}

/** A `receive` that asks for replies by their type. */
export function receivesReplies({ pending }: Process): boolean {
  for (const { name, args } of pending.values())
    if (name === "receive" && (args as { type?: unknown } | null)?.type === REPLY) return true;
  return false;
}
