// RefusalTexts: the error that each refusal of the judge is told with. Words decide nothing: whatever comes from here, an
// error that is returned or one that is thrown, the call is refused. kernel/src/refusal has them.

import type { Label, SysError, Touch } from "@aos/protocol";
import type { Amount } from "../budget/accounts.ts";
import type { RefusedAccess } from "../capability/index.ts";
import type { ApprovalDemand, Subject, Verdict } from "../policy/index.ts";
import type { Process } from "../process/process.ts";

export interface RefusalTexts {
  noCapability(
    process: Process,
    touch: Touch,
    refused: RefusedAccess,
    worst: Pick<Amount, "unpriced">,
  ): SysError;
  /** Fewer uses are left than one call needs. */
  notTogether(capability: string, count: number): SysError;
  noPolicy(subject: Subject, verdict: Verdict): SysError;
  /** Secret data may not leave. */
  noFlow(label: Label): SysError;
  /** A running call can no longer wait for a person. */
  needsPerson(touch: Touch, ask: ApprovalDemand): SysError;
  /** Another rule asks than the person has answered. */
  anotherRule(touch: Touch, rules: readonly string[]): SysError;
  notShown(touch: Touch, ask: ApprovalDemand): SysError;
}
