// Probing: a process that is refused too often is ended, as a violation.

import type { Process } from "../process/process.ts";

const WINDOW_MS = 60_000;

/** Counts a refusal; true when there were more of them in a minute than the limit. */
export function isProbing(process: Process, code: string, nowMs: number, most: number): boolean {
  if (code !== "EACCES" && code !== "EPOLICY") return false;
  process.denials = process.denials.filter((at) => at > nowMs - WINDOW_MS);
  process.denials.push(nowMs);
  return process.denials.length > most;
}
