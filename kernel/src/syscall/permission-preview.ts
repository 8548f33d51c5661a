// Permission preview: what a running call may ask about without doing it: whether it would be allowed, and what it
// holds of a kind, for what cannot be asked about one by one.
//
// PERMISSION-PREVIEW-1  Nothing is charged, counted or recorded.
// PERMISSION-PREVIEW-2  What a call was told that it holds, it stands on: when that is revoked, the call is
//     stopped.
// PERMISSION-PREVIEW-3  Where a rule speaks of hosts, nothing is said to be held of them: each request has to be
//     asked about. (Of files each one is, by who shows them: what is not permitted is hidden.)

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
  if (kind === "http" && rules.policy().speaksOf("http", rules.layersFor(process))) return []; // PERMISSION-PREVIEW-3
  const held = heldPatterns(process.holdings, kind as CapabilityKind, nowMs);
  call.chains = [...call.chains, ...held.map(({ chain }) => chain)]; // PERMISSION-PREVIEW-2
  return held.map(({ pattern, verbs, expiresAt }) => ({
    pattern,
    verbs,
    ...(expiresAt === Infinity ? {} : { expiresAt }),
  }));
}
