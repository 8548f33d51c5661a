// ApprovalCoverage: what an approval covers besides the call itself, while the call runs (JUDGE-4 of judge.ts).
//
// SYSCALL-COVERAGE-1  A yes to one rule does not answer another: the label or the policy may have changed since.
// SYSCALL-COVERAGE-2  Destinations and secrets must be among what was shown, whatever the rule. So must what a rule
//     names; only a rule about the whole call covers all its files.

import type { NamedFile, Touch } from "@aos/protocol";
import type { Capability } from "../capability/index.ts";
import type { ApprovalDemand } from "../policy/index.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import { isShown, reachOf } from "./reach.ts";
import type { RefusalTexts } from "./refusal-texts.ts";
import type { IdentifiedRun } from "./run-identity.ts";

export interface ApprovalCoverage {
  readonly rules: ReadonlySet<string>;
  /** Those of them that ask about the call as a whole, whatever it touches. */
  readonly wholeCall: ReadonlySet<string>;
  /** What people were shown that it may reach. */
  readonly reach: readonly Capability[];
  readonly files: readonly NamedFile[];
}

export const coverageOf = (
  rules: readonly string[],
  wholeCall: readonly string[],
  runs: IdentifiedRun | undefined,
): ApprovalCoverage => ({
  rules: new Set(rules),
  wholeCall: new Set(wholeCall),
  reach: runs?.reach ?? [],
  files: runs?.shown.files ?? [],
});

export const rulesIn = (rule: string): string[] => rule.split(", ");

export function refuseUncovered(
  touch: Touch,
  action: Action,
  covers: ApprovalCoverage | undefined,
  ask: ApprovalDemand,
  words: RefusalTexts,
): void {
  if (covers === undefined) throw words.needsPerson(touch, ask);
  const rules = rulesIn(ask.rule);
  const fresh = rules.filter((rule) => !covers.rules.has(rule));
  if (fresh.length > 0) throw words.anotherRule(touch, fresh); // SYSCALL-COVERAGE-1
  const isOfCall = !isGuarded(touch) && rules.every((rule) => covers.wholeCall.has(rule));
  if (!isOfCall && !isShown(touch, action, covers.reach)) throw words.notShown(touch, ask); // SYSCALL-COVERAGE-2
}

/** A pin stands for a person: nobody was shown anything, and it reaches what would have been. */
export function refuseUnpinned(
  process: Process,
  touch: Touch,
  action: Action,
  ask: ApprovalDemand,
  words: RefusalTexts,
): void {
  if (isGuarded(touch) && !isShown(touch, action, reachOf(process, action)))
    throw words.notShown(touch, ask);
}

/** SYSCALL-COVERAGE-2. */
const isGuarded = ({ kind }: Touch): boolean =>
  kind === "http" || kind === "browser" || kind === "secret";
