// AttemptRule: what becomes of an item whose attempt failed.
//
// ATTEMPT-RULE-1  An item is begun at most `attempts` times; each death of the host while it ran counts as one.
// ATTEMPT-RULE-2  What a failed attempt did outside is not done again unless the fleet says so.

import type { Fleet } from "@aos/protocol";

export interface FailedAttempt {
  readonly attempt: number;
  readonly crashes: number;
  /** How many external effects it began. */
  readonly effects: number;
  readonly reason: string;
}

export type AttemptDecision =
  | { readonly state: "waiting"; readonly afterMs: number; readonly reason: string }
  | { readonly state: "dead"; readonly reason: string };

export function afterFailure(rule: Fleet["restart"], failed: FailedAttempt): AttemptDecision {
  const { attempt, crashes, effects, reason } = failed;
  if (effects > 0 && rule.afterEffects === "stop")
    return {
      state: "dead",
      reason: `${reason} (it had begun ${effects} external effect${effects === 1 ? "" : "s"}, which another attempt would repeat)`,
    };
  const times = attempt + crashes;
  if (times >= rule.attempts)
    return { state: "dead", reason: `${reason} (attempt ${times} of ${rule.attempts})` };
  const afterMs = Math.min(rule.maxBackoff, rule.backoff * 2 ** (times - 1));
  return { state: "waiting", afterMs, reason };
}

/** Whether the host has died too often while it ran. */
export const isPoisonous = (
  rule: Fleet["restart"],
  { attempt, crashes }: Pick<FailedAttempt, "attempt" | "crashes">,
): boolean => attempt + crashes > rule.attempts;
