// Refusals: the error that a program receives when the gate refuses a call. The message says which agent
// tried what, and why not; the hint says what to do. `detail` has the check, the nearest capability, the
// smallest grant and the grantors as data, so that an agent can propose the grant (`ask` with `propose`).

import { colours, SysError, type Label, type Touch } from "@aos/protocol";
import type { Amount } from "../budget/accounts.ts";
import { noPrice } from "../budget/cover.ts";
import type { RefusedAccess } from "../capability/index.ts";
import { labelText } from "../label/label.ts";
import type { ApprovalDemand, Subject, Verdict } from "../policy/index.ts";
import type { Process } from "../process/process.ts";
import { attemptText } from "./attempt-text.ts";
import { explainRefused, type Refusal } from "./explain.ts";

const CANNOT_GRANT = "no capability can allow it";

/** What the judge refuses with (RefusalTexts of kernel/src/syscall). */
export const refusalWords = {
  noCapability: (
    process: Process,
    touch: Touch,
    refused: RefusedAccess,
    worst: Pick<Amount, "unpriced">,
  ): SysError => noCapability(process, touch, explainRefused(refused).reason, worst),
  notTogether,
  noPolicy,
  noFlow,
  needsPerson,
  anotherRule,
  notShown,
};

/** A rate limit refills, so the same call may succeed later. Every other refusal needs another grant. */
export function noCapability(
  process: Process,
  touch: Touch,
  reason: Refusal,
  { unpriced }: Pick<Amount, "unpriced"> = {},
): SysError {
  if (unpriced === true && reason.code === "usd") return noPrice(touch.resource);
  const message = `\`${process.row.agent}\` may not ${attemptText(touch)}: ${whyNot(process, touch, reason)}`;
  if (reason.code === "rate") {
    return new SysError("EAGAIN", message, {
      hint: "the rate limit refills: repeat the call later",
      retryAfter: Math.ceil(reason.retryAfterMs!),
      detail: { check: "capability", touch: { ...touch } },
    });
  }
  if (reason.ceilingOf !== undefined) return overCeiling(reason.ceilingOf, touch, message, reason);
  const givers = ["operator", ...(process.row.parentPid === null ? [] : [process.row.parentPid])];
  return new SysError("EACCES", message, {
    hint: reason.smallestGrant === "" ? CANNOT_GRANT : howToGrant(process, reason.smallestGrant),
    detail: {
      check: "capability",
      touch: { ...touch },
      ...(reason.code === "expires" || reason.code === "expired" ? { lapsed: true } : {}),
      ...(reason.nearest === undefined ? {} : { nearest: reason.nearest }),
      ...(reason.smallestGrant === "" ? {} : { grant: [reason.smallestGrant], givers }),
    },
  });
}

/** The block that every process starts with: what its manifest, or whoever spawned it, gave it. */
const firstBlock = ({ pid }: Process): string => `${pid}.0`;

function whyNot(process: Process, { kind }: Touch, reason: Refusal): string {
  const isFromManifest = process.row.parentPid === null && reason.blockId === firstBlock(process);
  if (reason.code === "absent" && isFromManifest)
    return `its manifest grants no \`${kind}:\` capability`;
  const isNamed = reason.code !== "resource" && reason.code !== "pin";
  if (reason.nearest === undefined || isNamed) return reason.why;
  return `${reason.why}; the nearest is ${reason.nearest}`;
}

function howToGrant({ pid, row }: Process, capability: string): string {
  const give = `aos caps grant ${pid} '${capability}'`;
  return row.parentPid === null
    ? `add '${capability}' to \`capabilities\` in its manifest, or grant it to this process: ${give}; the agent can propose it with \`ask\` and \`propose\``
    : `its parent ${row.parentPid} can grant ${capability}, or the operator: ${give}; the agent can propose it with \`ask\` and \`propose\``;
}

/** No grant to the process would help: the tenant itself may not hold the capability. */
function overCeiling(tenant: string, touch: Touch, message: string, reason: Refusal): SysError {
  const { smallestGrant } = reason;
  return new SysError("EACCES", message, {
    hint:
      smallestGrant === ""
        ? CANNOT_GRANT
        : `only the operator of this machine can raise the ceiling: aos tenant set ${tenant} --allow '${smallestGrant}'`,
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
    `the call needs ${capability} ${count} times, and fewer uses are left`,
    {
      hint: "make fewer of these calls at once, or ask the operator for a larger limit",
      detail: { check: "capability", nearest: capability },
    },
  );
}

export function noPolicy({ call }: Subject, verdict: Verdict): SysError {
  const message = verdict.say ?? `the policy forbids this ${call} call (rule ${verdict.rule})`;
  const detail = { check: "policy", rule: verdict.rule, givers: ["operator"] };
  if (verdict.retryAfterMs !== undefined)
    return new SysError("EAGAIN", message, {
      retryAfter: Math.ceil(verdict.retryAfterMs),
      detail,
    });
  return new SysError("EPOLICY", message, {
    hint: `only a change of the policy can allow it; \`aos policy show\` has the rule ${verdict.rule}`,
    detail,
  });
}

export function noFlow(label: Label): SysError {
  return new SysError(
    "EPOLICY",
    `this process has read secret data (label ${labelText(label)}, ${colours[label.integrity]}), and secret data may not leave the machine`,
    {
      hint: "let a child that has not read the secret make the call, or receive the secret through a strict schema (`wait` with `endorse`)",
      detail: { check: "labels", label: labelText(label) },
    },
  );
}

/** A running call can no longer wait for a person. */
function needsPerson(touch: Touch, { rule }: ApprovalDemand): SysError {
  return new SysError(
    "EPOLICY",
    `the call wants to ${attemptText(touch)}, which needs a person's approval (rule ${rule})`,
    {
      hint: "make a call that names this resource in its arguments: the kernel then asks a person first",
      detail: { check: "approval", rule },
    },
  );
}

function anotherRule(touch: Touch, rules: readonly string[]): SysError {
  const rule = rules.join(", ");
  return new SysError(
    "EPOLICY",
    `the call wants to ${attemptText(touch)}, which rule ${rule} asks about; the approval is older: the policy, or what the process has read, has changed since`,
    {
      hint: "make the call again: the kernel then asks a person",
      detail: { check: "approval", rule },
    },
  );
}

function notShown(touch: Touch, { rule }: ApprovalDemand): SysError {
  const { kind, resource, verb } = touch;
  return new SysError(
    "EPOLICY",
    `the call wants to ${attemptText(touch)}, which was not shown in the approved question (rule ${rule})`,
    {
      hint: "an approval covers only what the question showed; make a separate call that names this resource",
      detail: { check: "approval", rule, touch: { kind, resource, verb } },
    },
  );
}
