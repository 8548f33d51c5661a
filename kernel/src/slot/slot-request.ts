// SlotRequest: a request that waits for an inference slot.

import type { Lane } from "@aos/protocol";

/** One request for an inference slot. */
export interface SlotRequest {
  readonly tenant: string;
  readonly model: string;
  readonly lane: Lane;
  /** When it should be served, in milliseconds since 1970; the lane says where it is absent. */
  readonly deadlineAt: number | undefined;
  /** The most tokens that it can use. */
  readonly tokens: number;
  /** Aborted when no request waits for the answer any more: its slot is free at once. */
  readonly signal: AbortSignal;
  /** Whether another model of the fallback chain may be used; asked when it would be, maybe twice. */
  readonly mayUse: (model: string) => boolean;
  /** Told when it begins and stops waiting for a slot. */
  readonly onWait: (isWaiting: boolean) => void;
  /**
   * Told before another try, at the same model or the next; throws what makes that impossible, such as a
   * budget. It waits from then on, so that a failure is told of here or at the end, and not in both.
   */
  readonly onRetry: (failure: unknown, next: string) => void;
  /**
   * Told before a second try beside one that is under way, which may cost as much again; throws where
   * that is too much. Without it nothing is hedged.
   */
  readonly onHedge?: () => void;
}

/** One try at one model. */
export type Attempt<T> = (model: string, signal: AbortSignal) => Promise<T>;

export interface SlotResult<T> {
  readonly model: string;
  readonly result: T;
}
