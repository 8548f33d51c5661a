// Charging: what an allowed action takes from the grants that allowed it, and what its record says of the rules.

import {
  charge,
  type CapabilityCharge,
  formatCapability,
  holdMoney,
  usesLeft,
} from "../capability/index.ts";
import type { Verdict } from "../policy/index.ts";
import type { Action } from "./action.ts";
import { notTogether } from "./refusals.ts";

/** A use of each grant, and the most that it can cost: what it did not cost is given back when it is over. */
export function takeCharges(
  charges: readonly CapabilityCharge[],
  { worst }: Action,
  nowMs: number,
): void {
  charge(charges, nowMs);
  holdMoney(charges, worst.microUsd);
}

/** One action may touch several things by one grant: each is a use of it. */
export function refuseTogether(charges: readonly CapabilityCharge[], nowMs: number): void {
  if (charges.length < 2) return; // each was asked for by itself
  const uses = new Map<CapabilityCharge["held"], number>();
  for (const { held } of charges) uses.set(held, (uses.get(held) ?? 0) + 1);
  for (const [held, count] of uses) {
    if (count === 1 || count <= usesLeft(held, nowMs)) continue;
    throw notTogether(formatCapability(held.capability), count);
  }
}

export function ruleRemarks({ shadows, notes }: Verdict): string | undefined {
  if (shadows.length === 0 && notes.length === 0) return undefined;
  return [
    ...(shadows.length === 0 ? [] : [`shadow: ${shadows.join(", ")}`]),
    ...notes.map((note) => `note: ${note}`),
  ].join("; ");
}

export const smallerOf = (a?: number, b?: number): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);
