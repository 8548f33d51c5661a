// Disposition: what a signal does to a process, given what the process has said about it.
//
// N1  What cannot be masked cannot be handled or ignored either.
// N2  A masked signal waits until it is unmasked; nothing is lost.

import { signals, type SignalName } from "@aos/protocol";

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
  | "budget";

interface Stance {
  readonly masked: ReadonlySet<SignalName>;
  readonly handled: ReadonlyMap<SignalName, "handler" | "ignore">;
}

export function dispositionOf(signal: SignalName, stance: Stance): Disposition {
  const row = signals[signal];
  if (!row.maskable) return row.byDefault;
  if (stance.masked.has(signal)) return "wait";
  return stance.handled.get(signal) ?? row.byDefault;
}

/** Those that act on a process although it is in the middle of something. */
export const interrupts = (disposition: Disposition): boolean =>
  disposition === "kill" || disposition === "end" || disposition === "budget";
