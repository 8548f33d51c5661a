// Judge: from a described action to a permit, or to the refusal that ends it. There is no `await` in
// here: nothing can slip between a test and its charge.
//
// Order: capability, policy, labels, quota, approval, budget. The first that refuses ends it, and
// says which check it was, what was nearest, and what would have allowed it.

import { SysError, type Touch } from "@aos/protocol";
import {
  charge,
  decide,
  formatCapability,
  spend,
  usesLeft,
  type Charge,
  type Kind,
  type Refusal,
} from "../capability/index.ts";
import { labelText, mayLeave } from "../label/label.ts";
import type { Policy } from "../policy/policy.ts";
import type { Process } from "../process/process.ts";
import { digestOfAction, type Action } from "./action.ts";

export interface Permit {
  readonly charges: readonly Charge[];
  readonly timeoutMs: number | undefined;
  readonly verdict: string | undefined;
}

/** Thrown when a person has to say. The attempt ends; the answer starts a new one. */
export class NeedsApproval extends Error {
  readonly digest: string;
  readonly rule: string;

  constructor(digest: string, rule: string) {
    super(`needs approval by ${rule}`);
    this.digest = digest;
    this.rule = rule;
  }
}

/** Thrown when a rule says `kill`. */
export class Violation extends Error {}

export interface Laws {
  readonly policy: Policy;
  /** Refuses what is over a limit that is no capability's: spawn depth, processes in a tree. */
  readonly quota: (process: Process, action: Action) => void;
  /** Takes at once what a quota counts, and gives it back when nothing came of it. */
  readonly charge: (process: Process, action: Action) => void;
  readonly release: (process: Process, action: Action) => void;
  /** The digests that a person has said yes to, and has not taken back. */
  readonly isApproved: (process: Process, digest: string) => boolean;
}

const NO_CHARGES: readonly Charge[] = [];

/** What the gate says, with nothing charged. What was begun before was counted then. */
export function judge(
  process: Process,
  action: Action,
  laws: Laws,
  nowMs: number,
  isBegun = false,
): Permit {
  let charges: Charge[] | undefined;
  let timeoutMs: number | undefined;

  for (const touch of action.touches) {
    const decision = decide(
      process.block,
      { ...touch, kind: touch.kind as Kind, args: argsOf(action), cost: action.worst, isBegun },
      nowMs,
    );
    if (!decision.allow) throw refusal(touch, decision.reason);
    if (decision.charges.length > 0) (charges ??= []).push(...decision.charges);
    timeoutMs = least(timeoutMs, decision.timeoutMs);
  }
  if (charges !== undefined && !isBegun) refuseTogether(charges, nowMs);

  const subject = {
    call: action.call,
    agent: process.row.agent,
    tenant: process.tenantName,
    tool: action.tool?.name,
  };
  const verdict = laws.policy.decide(subject);
  const shadows = laws.policy.shadows(subject);
  if (verdict.effect === "kill")
    throw new Violation(`${action.call} is forbidden by the rule ${verdict.rule}`);
  if (verdict.effect === "deny") {
    throw new SysError("EPOLICY", `${action.call} is forbidden: ${verdict.rule}`, {
      hint: "only the operator's policy can allow it",
    });
  }

  if (action.isVisible && action.call !== "ask" && !mayLeave(process.label)) {
    throw new SysError(
      "EPOLICY",
      `what this process has read (${labelText(process.label)}) may not leave the machine`,
    );
  }

  laws.quota(process, action);

  if (verdict.effect === "ask") {
    const digest = digestOfAction(action, process.pid);
    if (!laws.isApproved(process, digest)) throw new NeedsApproval(digest, verdict.rule);
  }

  process.account.mustCover(action.worst);

  return {
    charges: charges ?? NO_CHARGES,
    timeoutMs,
    verdict: shadows.length === 0 ? undefined : `shadow: ${shadows.join(", ")}`,
  };
}

/** Judges, and takes at once what the action may use up. */
export function permit(
  process: Process,
  action: Action,
  laws: Laws,
  nowMs: number,
  isBegun: boolean,
): Permit {
  const permit = judge(process, action, laws, nowMs, isBegun);
  process.account.reserve(action.worst);
  laws.charge(process, action);
  if (permit.charges.length > 0 && !isBegun) {
    charge(permit.charges, nowMs);
    if (action.worst.usd > 0) spend(permit.charges, { usd: action.worst.usd });
  }
  return permit;
}

/** One action may touch several things by one grant: each is a use of it. */
function refuseTogether(charges: readonly Charge[], nowMs: number): void {
  const uses = new Map<Charge["held"], number>();
  for (const { held } of charges) uses.set(held, (uses.get(held) ?? 0) + 1);
  for (const [held, count] of uses) {
    if (count === 1 || count <= usesLeft(held, nowMs)) continue;
    throw new SysError(
      "EACCES",
      `it needs ${formatCapability(held.capability)} ${count} times, and that is more than is left`,
    );
  }
}

function argsOf(action: Action) {
  const args = action.args as Record<string, unknown> | null;
  return (action.call === "exec" ? args?.["args"] : args) as never;
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

/** A rate that is used up fills again: the same call may succeed later. All else needs another grant. */
function refusal(touch: Touch, reason: Refusal): SysError {
  const nearest = reason.nearest === undefined ? "" : `; the nearest it holds is ${reason.nearest}`;
  const what = `${touch.verb} on ${touch.kind} ${touch.resource}: ${reason.why}${nearest}`;
  if (reason.code === "rate") {
    return new SysError("EAGAIN", `too often: ${what}`, {
      retryAfter: Math.ceil(reason.retryAfterMs ?? 1000),
    });
  }
  return new SysError("EACCES", `no capability for ${what}`, {
    hint:
      reason.smallestGrant === ""
        ? "nothing can grant it"
        : `the operator, or the process above, can grant ${reason.smallestGrant}`,
  });
}
