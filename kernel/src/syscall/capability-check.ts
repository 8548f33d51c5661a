// Capability check: which capabilities of a process allow an action, and what is charged.
//
// SYSCALL-POWERS-1  Every touched resource needs a capability, and so does the tool.
// SYSCALL-POWERS-2  A handle that the process does not hold is forged: a violation, not a refusal.
// SYSCALL-POWERS-3  A pin replaces a person only if its author had read nothing untrusted.

import { SysError, type Touch } from "@aos/protocol";
import {
  type CapabilityBlock,
  type CapabilityCharge,
  type CapabilityKind,
  charge,
  decideAny,
  formatCapability,
  holdMoney,
  usesLeft,
} from "../capability/index.ts";
import type { Verdict } from "../policy/index.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import type { RefusalTexts } from "./refusal-texts.ts";
import { argsOf } from "./subject.ts";
import { Violation } from "./violation.ts";

const NO_CHARGES: readonly CapabilityCharge[] = [];
const NO_BLOCKS: readonly CapabilityBlock[] = [];

export interface CheckedCapabilities {
  readonly charges: readonly CapabilityCharge[];
  readonly chains: readonly CapabilityBlock[];
  readonly expiresAt: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly isPinned: boolean;
  /** The blocks by which a person has said "always", for all that it touches. */
  readonly standing: readonly CapabilityBlock[];
}

/** SYSCALL-POWERS-1. What of the process's power allows each of the touches. */
export function checkCapability(
  process: Process,
  action: Action,
  touches: readonly Touch[],
  nowMs: number,
  isBegun: boolean,
  words: RefusalTexts,
): CheckedCapabilities {
  const by = (action.args as { by?: string } | null)?.by;
  if (by !== undefined && process.pastHandles.has(by))
    throw new SysError("EACCES", "the grant under this handle is over");
  if (by !== undefined && process.holdings.get(by) === undefined)
    throw new Violation(`${action.call} named a handle that was never given to it`); // SYSCALL-POWERS-2
  const args = argsOf(action) as never;
  let counted: CapabilityCharge[] | undefined;
  const chains: CapabilityBlock[] = [];
  let timeoutMs: number | undefined;
  let expiresAt: number | undefined;
  let isPinned = false;
  let standing: readonly CapabilityBlock[] | undefined;
  for (const touch of touches) {
    const request = {
      ...touch,
      kind: touch.kind as CapabilityKind,
      args,
      cost: action.worst,
      isBegun,
    };
    const decision = decideAny(process.holdings, request, nowMs, by);
    if (!decision.allow) throw words.noCapability(process, touch, decision, action.worst);
    if (decision.charges.length > 0) (counted ??= []).push(...decision.charges);
    chains.push(decision.via.block);
    timeoutMs = smallerOf(timeoutMs, decision.timeoutMs);
    expiresAt = smallerOf(expiresAt, decision.expiresAt);
    isPinned ||= decision.pinned && isPinnedBy(decision.pinnedArgs, touch, action);
    standing = standing?.filter((one) => decision.standing.includes(one)) ?? decision.standing;
  }
  const charges = counted ?? NO_CHARGES;
  if (!isBegun) refuseTogether(charges, nowMs, words);
  return { charges, chains, expiresAt, timeoutMs, isPinned, standing: standing ?? NO_BLOCKS };
}

/** What a call that runs stands on now: what it was counted on it keeps. */
export const currentChains = (
  process: Process,
  action: Action,
  touches: readonly Touch[],
  nowMs: number,
  words: RefusalTexts,
): Pick<CheckedCapabilities, "chains" | "expiresAt"> => {
  const { chains, expiresAt } = checkCapability(process, action, touches, nowMs, true, words);
  return { chains, expiresAt };
};

/** SYSCALL-POWERS-3. It is the tool that is pinned, and every argument of it that carries authority. */
function isPinnedBy(pinned: readonly string[], touch: Touch, { tool, args }: Action): boolean {
  if (tool === undefined) return true;
  if (touch.kind !== "tool") return false;
  const { args: given } = args as { args: object }; // a pin fits nothing else
  return (tool.authority ?? []).every(
    (name) => pinned.includes(name) || !Object.hasOwn(given, name),
  );
}

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
function refuseTogether(
  charges: readonly CapabilityCharge[],
  nowMs: number,
  words: RefusalTexts,
): void {
  if (charges.length < 2) return; // each was asked for by itself
  const uses = new Map<CapabilityCharge["held"], number>();
  for (const { held } of charges) uses.set(held, (uses.get(held) ?? 0) + 1);
  for (const [held, count] of uses) {
    if (count === 1 || count <= usesLeft(held, nowMs)) continue;
    throw words.notTogether(formatCapability(held.capability), count);
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
