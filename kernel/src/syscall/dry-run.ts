// Dry run: the answer of a call that a rule allows only with `dryRun`.

import type { Json } from "@aos/protocol";
import type { Action } from "./action.ts";

/** How a program goes on living, whatever the rules let only be tried. */
const LIVING: ReadonlySet<string> = new Set([
  "receive",
  "checkpoint",
  "subscribe",
  "open",
  "close",
]);

/** Whether it can be tried without being done: what changes something can; what is asked or read is answered. */
export const canBeTried = ({ call, effect }: Pick<Action, "call" | "effect">): boolean =>
  effect !== "read" && !LIVING.has(call);

/** The answer to what a rule lets only be tried. */
export const wouldDo = ({ call, touches }: Action): Json => ({
  dryRun: true,
  would: { call, touches: touches.map((touch) => ({ ...touch })) },
});
