// Refusals: what a program is told when the gate says no. Each names the check, what was nearest to
// allowing it, the smallest grant that would have, and who may give that; `detail` has the same as data,
// so that an agent can file it as a proposal (`ask` with `propose`).

import { colours, SysError, type Label, type Touch } from "@aos/protocol";
import type { Amount } from "../budget/accounts.ts";
import { noPrice } from "../budget/cover.ts";
import type { Refusal } from "../capability/index.ts";
import { labelText } from "../label/label.ts";
import type { ApprovalDemand, Subject, Verdict } from "../policy/index.ts";
import type { Process } from "../process/process.ts";

/** A rate that is used up fills again: the same call may succeed later. All else needs another grant. */
export function noCapability(
  process: Process,
  touch: Touch,
  reason: Refusal,
  { unpriced }: Pick<Amount, "unpriced"> = {},
): SysError {
  if (unpriced === true && reason.code === "usd") return noPrice(touch.resource);
  const nearest = reason.nearest === undefined ? "" : `; the nearest it holds is ${reason.nearest}`;
  const what = `${touch.verb} on ${touch.kind} ${touch.resource}: ${reason.why}${nearest}`;
  if (reason.code === "rate") {
    return new SysError("EAGAIN", `too often: ${what}`, {
      retryAfter: Math.ceil(reason.retryAfterMs!),
      detail: { check: "capability", touch: { ...touch } },
    });
  }
  if (reason.ceilingOf !== undefined) return overCeiling(reason.ceilingOf, touch, what, reason);
  const givers = ["operator", ...(process.row.parentPid === null ? [] : [process.row.parentPid])];
  return new SysError("EACCES", `no capability for ${what}`, {
    hint:
      reason.smallestGrant === ""
        ? "nothing can grant it"
        : `the operator, or the process above, can grant ${reason.smallestGrant}; \`ask\` with \`propose\` puts it to a person`,
    detail: {
      check: "capability",
      touch: { ...touch },
      ...(reason.code === "expires" || reason.code === "expired" ? { lapsed: true } : {}),
      ...(reason.nearest === undefined ? {} : { nearest: reason.nearest }),
      ...(reason.smallestGrant === "" ? {} : { grant: [reason.smallestGrant], givers }),
    },
  });
}

/** Nothing that anybody gives the process would help: it is the tenant that may not hold it. */
function overCeiling(tenant: string, touch: Touch, what: string, reason: Refusal): SysError {
  const { smallestGrant } = reason;
  return new SysError("EACCES", `no capability for ${what}`, {
    hint:
      smallestGrant === ""
        ? "nothing can grant it"
        : `only the operator of this machine can raise it: aos tenant set ${tenant} --allow '${smallestGrant}'`,
    detail: {
      check: "capability",
      ceiling: tenant,
      touch: { ...touch },
      ...(smallestGrant === "" ? {} : { raise: smallestGrant }),
    },
  });
}

export function notTogether(capability: string, count: number): SysError {
  return new SysError(
    "EACCES",
    `it needs ${capability} ${count} times, and that is more than is left`,
    { detail: { check: "capability", nearest: capability } },
  );
}

export function noPolicy({ call }: Subject, verdict: Verdict): SysError {
  const message = verdict.say ?? `${call} is forbidden: ${verdict.rule}`;
  const detail = { check: "policy", rule: verdict.rule, givers: ["operator"] };
  if (verdict.retryAfterMs !== undefined)
    return new SysError("EAGAIN", message, {
      retryAfter: Math.ceil(verdict.retryAfterMs),
      detail,
    });
  return new SysError("EPOLICY", message, {
    hint: `only the operator's policy can allow it (rule ${verdict.rule})`,
    detail,
  });
}

export function noFlow(label: Label): SysError {
  return new SysError(
    "EPOLICY",
    `what this process has read (${labelText(label)}, ${colours[label.integrity]}) may not leave the machine`,
    {
      hint: "a child that has not read it can do this; or take what was read by a strict schema (wait with endorse)",
      detail: { check: "labels", label: labelText(label) },
    },
  );
}

/** A call that runs cannot wait for a person any more. */
export function needsPerson({ kind, resource }: Touch, { rule }: ApprovalDemand): SysError {
  return new SysError("EPOLICY", `${kind} ${resource} needs a person's word (${rule})`, {
    hint: "ask for it by this name: then a person can be asked",
    detail: { check: "approval", rule },
  });
}

export function anotherRule({ kind, resource }: Touch, rules: readonly string[]): SysError {
  const rule = rules.join(", ");
  return new SysError(
    "EPOLICY",
    `${kind} ${resource}: the call was approved before ${rule} asked; what the process has read, or the policy, has changed since`,
    {
      hint: "make the call again: then a person can be asked",
      detail: { check: "approval", rule },
    },
  );
}

export function notShown({ kind, resource, verb }: Touch, { rule }: ApprovalDemand): SysError {
  return new SysError(
    "EPOLICY",
    `${verb} on ${kind} ${resource} was not shown with the call that was approved (${rule})`,
    {
      hint: "a yes covers what the question showed; a call that names this is asked about by itself",
      detail: { check: "approval", rule, touch: { kind, resource, verb } },
    },
  );
}
