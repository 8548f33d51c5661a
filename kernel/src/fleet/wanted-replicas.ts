// WantedReplicas: how many replicas a fleet should have.
//
// WANTED-REPLICAS-1  Never outside of the bounds, and never more than the budget has runs for.
// WANTED-REPLICAS-2  Up at once, by at most twice as many; down one by one, after fewer were enough for the cool-down.

import type { ScaleRule } from "@aos/protocol";

/** The age of the oldest item adds a replica at most this often. */
const AGE_STEP_MS = 15_000;

export interface QueueState {
  /** Items that wait or run. */
  readonly unfinished: number;
  /** How long the oldest waiting one has waited. */
  readonly oldestMs: number;
}

export interface ReplicaState {
  readonly replicas: number;
  readonly sinceScaledMs: number;
  /** Since when fewer would have been enough. */
  readonly idleMs: number;
  /** As many runs as the budget of the month has money for. */
  readonly affordable: number;
}

/** By the rule alone, without the steps by which it is reached. */
export function neededReplicas(
  { min, max, target, age }: ScaleRule,
  { unfinished, oldestMs }: QueueState,
  { replicas, sinceScaledMs, affordable }: Omit<ReplicaState, "idleMs">,
): number {
  const byDepth = Math.ceil(unfinished / target);
  const isOld = age !== undefined && oldestMs > age;
  const mayStep = replicas === 0 || sinceScaledMs >= AGE_STEP_MS;
  const byAge = isOld ? replicas + (mayStep ? 1 : 0) : 0;
  return Math.min(Math.max(byDepth, byAge, min), max, Math.max(0, affordable));
}

export function wantedReplicas(rule: ScaleRule, queue: QueueState, state: ReplicaState): number {
  const { replicas, idleMs } = state;
  const needed = neededReplicas(rule, queue, state);
  if (needed > replicas)
    return Math.max(Math.min(needed, Math.max(1, replicas * 2)), Math.min(rule.min, needed));
  if (needed === replicas) return replicas;
  const most = Math.min(rule.max, Math.max(0, state.affordable));
  if (replicas > most) return most;
  return idleMs >= rule.coolDown ? replicas - 1 : replicas;
}
