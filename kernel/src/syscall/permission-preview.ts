// Permission preview: a running call asks whether something would be allowed, and what it holds of a kind.
//
// PERMISSION-PREVIEW-1  Nothing is charged, counted or recorded.
// PERMISSION-PREVIEW-2  A call depends on the holdings that it was shown: when they are revoked, the call is stopped.
// PERMISSION-PREVIEW-3  Where a rule refers to hosts, or to memory, none counts as held: each must be asked about.

import type { HeldPattern, Touch } from "@aos/protocol";
import { heldPatterns, type CapabilityKind } from "../capability/index.ts";
import type { CallContext } from "./syscall-handler.ts";
import { wouldPermitMore, type JudgeRules } from "./judge.ts";

export const permitsMore = (
  { process, action, permit }: Pick<CallContext, "process" | "action" | "permit">,
  touch: Touch,
  rules: JudgeRules,
  nowMs: number,
): boolean => wouldPermitMore(process, action, touch, permit, rules, nowMs);

export function grantedTo(
  { process, call }: Pick<CallContext, "process" | "call">,
  kind: string,
  rules: JudgeRules,
  nowMs: number,
): readonly HeldPattern[] {
  const isOneByOne = kind === "http" || kind === "memory";
  if (isOneByOne && rules.policy().speaksOf(kind, rules.layersFor(process))) return []; // PERMISSION-PREVIEW-3
  const held = heldPatterns(process.holdings, kind as CapabilityKind, nowMs);
  call.chains = [...call.chains, ...held.map(({ chain }) => chain)]; // PERMISSION-PREVIEW-2
  return held.map(({ pattern, verbs, expiresAt }) => ({
    pattern,
    verbs,
    ...(expiresAt === Infinity ? {} : { expiresAt }),
  }));
}
