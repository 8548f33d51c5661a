// Slots: places at models, which are what is scarce.

import type { Lane, SlotReport } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";

/** One request that wants a place. */
export interface SlotWish {
  readonly tenant: string;
  readonly model: string;
  readonly lane: Lane;
  /** When it should be served, in milliseconds since 1970; the lane says where it is absent. */
  readonly deadlineAt: number | undefined;
  /** The most tokens that it can use. */
  readonly tokens: number;
  /** Aborted when nobody waits for it any more: its place is free at once. */
  readonly signal: AbortSignal;
  /** Whether another model of the fallback chain may be used; asked when it would be. */
  readonly mayUse: (model: string) => boolean;
  /** Told when it begins and stops to wait for a place. */
  readonly onWait: (isWaiting: boolean) => void;
  /** Told before another try; throws what makes that impossible, such as a budget. */
  readonly onRetry: (failure: unknown) => void;
}

export const NO_SLOT_RULES: SlotRules = { providers: {}, models: {}, tenants: {} };

/** One try at one model. */
export type Attempt<T> = (model: string, signal: AbortSignal) => Promise<T>;

export class Slots {
  constructor(_parts: { rules: () => SlotRules; platform: Platform }) {}

  async run<T>(wish: SlotWish, attempt: Attempt<T>): Promise<{ model: string; result: T }> {
    return { model: wish.model, result: await attempt(wish.model, wish.signal) };
  }

  /** The models that a request may end up at: the one that is asked for, and its fallbacks. */
  candidates(model: string): readonly string[] {
    return [model];
  }

  /** How many tries may run at once for one request: 2 where it is hedged. */
  triesAtOnce(_model: string): number {
    return 1;
  }

  reports(): SlotReport[] {
    return [];
  }
}
