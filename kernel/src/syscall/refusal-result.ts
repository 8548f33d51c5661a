// Refusal result: what was thrown while an action was judged, as a failure and as the answer of a dry run.

import { SysError, type Json, type Label } from "@aos/protocol";
import { join } from "../label/label.ts";
import { labelOfWords } from "../process/block-label.ts";
import type { Process } from "../process/process.ts";
import { NeedsApproval, Violation } from "./judge.ts";

/** The answer of `check`. */
export function refusalResult(error: unknown): Json {
  if (error instanceof NeedsApproval)
    return { allow: false, code: "EDENIED", reason: error.message };
  if (error instanceof Violation)
    return { allow: false, code: "EPOLICY", reason: error.message, hint: "it would be killed" };
  const { code, message, hint, detail } = asRefusal(error, false);
  return {
    allow: false,
    code,
    reason: message,
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/** GATE-3. What is thrown while an action is judged is a refusal, whoever's failure it is. */
export function asRefusal(error: unknown, isUndescribed: boolean): SysError {
  if (error instanceof SysError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return isUndescribed
    ? new SysError("EINVAL", `the call could not be understood: ${message}`)
    : new SysError("EINTERNAL", `the gate failed and refused the call: ${message}`);
}

/** A refusal for want of a capability names what is nearest of what it holds: words of who gave that. */
export function withWords(
  process: Process,
  error: unknown,
  label: Label | undefined,
): Label | undefined {
  const { check } = (error instanceof SysError ? (error.detail ?? {}) : {}) as { check?: unknown };
  const words = check === "capability" ? labelOfWords(process) : undefined;
  if (words === undefined) return label;
  return label === undefined ? words : join(label, words);
}
