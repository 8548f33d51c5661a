// Disposition: what a signal does to a process, given what the process has said about it.
//
// DISPOSITION-1  What cannot be masked cannot be handled or ignored either.
// DISPOSITION-2  A masked signal waits until it is unmasked; nothing is lost.
// DISPOSITION-3  A paused process goes on at SIGCONT whatever it has said of it: it cannot say anything
//     else now. What would make its program do something waits until it goes on.
// DISPOSITION-4  A budget warning ends no process by default; it is noted.

import {
  signals,
  syscalls,
  type Cause,
  type FailureText,
  type Json,
  type SignalName,
} from "@aos/protocol";
import { noticedPart } from "../process/budget-notice.ts";

export type Disposition =
  | "wait"
  | "handler"
  | "ignore"
  | "stop"
  | "continue"
  | "finish"
  | "end"
  | "kill"
  | "checkpoint"
  | "note"
  | "budget";

interface Stance {
  readonly isPaused: boolean;
  readonly masked: ReadonlySet<SignalName>;
  readonly handled: ReadonlyMap<SignalName, "handler" | "ignore">;
}

export function dispositionOf(
  signal: SignalName,
  stance: Stance,
  cause: Cause = "operator",
): Disposition {
  const row = signals[signal];
  if (!row.maskable) return row.byDefault;
  if (stance.isPaused && signal === "SIGCONT") return "continue";
  if (stance.masked.has(signal)) return "wait";
  const byDefault = noticedPart(signal, cause) === undefined ? row.byDefault : "note";
  const disposition = stance.handled.get(signal) ?? byDefault;
  return stance.isPaused && !reachesPaused(disposition) ? "wait" : disposition;
}

/** Those that a paused process need not do anything for. */
export const reachesPaused = (disposition: Disposition): boolean =>
  disposition === "stop" || disposition === "finish" || interrupts(disposition);

/** Those that act on a process although it is in the middle of something. */
export const interrupts = (disposition: Disposition): boolean =>
  disposition === "kill" || disposition === "end" || disposition === "budget";

/** What is wrong with what a program says of signals, or undefined. */
export function problemWith(name: "handle" | "mask", args: Json): FailureText | undefined {
  const parsed = syscalls[name].args.safeParse(args ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const message = `${name}: ${issue.path.map(String).join(".") || "arguments"}: ${issue.message}`;
    return { code: "EINVAL", message };
  }
  const said = parsed.data as { signal?: SignalName; signals?: SignalName[] };
  const fixed = [...(said.signals ?? []), ...(said.signal === undefined ? [] : [said.signal])].find(
    (signal) => !signals[signal].maskable,
  );
  if (fixed === undefined) return undefined;
  return { code: "EINVAL", message: `${fixed} can be neither masked nor handled` };
}
