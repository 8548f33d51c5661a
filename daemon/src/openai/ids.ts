// Ids: the client's names for a run and its parts. All are derived from the pid, so that a run can be looked up by any
// of them (`aos show`) and nothing has to be stored beside the journal.

import { isProcessId, type ProcessId } from "@aos/protocol";

const tailOf = (pid: ProcessId): string => pid.slice("agt_".length);

export const chatId = (pid: ProcessId): string => `chatcmpl-${tailOf(pid)}`;
export const responseId = (pid: ProcessId): string => `resp_${tailOf(pid)}`;
export const messageId = (pid: ProcessId): string => `msg_${tailOf(pid)}`;
export const itemId = (pid: ProcessId, index: number): string => `fc_${tailOf(pid)}_${index}`;
export const callId = (pid: ProcessId, index: number): string => `call_${tailOf(pid)}_${index}`;

export function runOfResponse(id: string): ProcessId | undefined {
  const pid = id.replace(/^resp_/, "agt_");
  return id.startsWith("resp_") && isProcessId(pid) ? pid : undefined;
}

/** The run that handed a call over, and which of its calls it is. */
export function runOfCall(id: string): { pid: ProcessId; index: number } | undefined {
  const parts = /^call_([0-9a-z]{26})_(\d{1,3})$/.exec(id);
  const pid = `agt_${parts?.[1] ?? ""}`;
  return isProcessId(pid) ? { pid, index: Number(parts?.[2]) } : undefined;
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** Seconds since 1970: a pid begins with when it was born. */
export function createdAtOf(pid: ProcessId): number {
  const ms = Array.from(tailOf(pid).slice(0, 10)).reduce(
    (sum, c) => sum * 32 + CROCKFORD.indexOf(c),
    0,
  );
  return Math.floor(ms / 1000);
}
