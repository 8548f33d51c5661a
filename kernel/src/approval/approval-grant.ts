// Approval grant: what a yes grants. "Always" grants every process of the agent the cover that the question showed; a
// yes to a proposal grants it to the asking process.
//
// APPROVAL-GRANT-1  Only what was shown is granted: the `about.cover` of the question.
// APPROVAL-GRANT-2  "Always" is possible only where one person is enough and the rule has no `everyTime`.
// APPROVAL-GRANT-3  "Always" holds for what would have run at that time: the `about.runs` of the question.

import { canonicalText, SysError, type Json, type QuestionAbout } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import type { HoldingRow, QuestionRow } from "../store/rows.ts";

/** What "always" speaks of: the rule, and the digest of what would run (APPROVAL-GRANT-3). */
export interface StandingRule {
  readonly rule: string;
  readonly runs: string;
}

/** Makes ready what is to be given; it is there when its row is, and its holder looks for it then.
 * `standing` is what it replaces asking for; without it, it is for the one that asked. */
export type IssueGrant = (
  question: QuestionRow,
  capabilities: readonly string[],
  how: { readonly by: string; readonly standing?: StandingRule },
) => Promise<HoldingRow>;

/** APPROVAL-GRANT-1. */
export const coverOf = ({ about }: QuestionRow): readonly string[] =>
  (about as unknown as QuestionAbout | null)?.cover ?? [];

/** APPROVAL-GRANT-2, APPROVAL-GRANT-3. */
export function standingRule(row: QuestionRow, choice: string): StandingRule {
  const about = row.about as unknown as QuestionAbout | null;
  const no = (why: string) => new SysError("ESTATE", `${row.id} has no "always": ${why}`);
  if (row.kind !== "policy" || about === null || about.rule === null)
    throw no("no rule asked this question");
  if (choice !== "approve") throw no("only an approval can be permanent");
  if (about.everyTime) throw no(`the rule ${about.rule} asks every time`);
  if (row.quorum > 1) throw no(`${row.quorum} people have to agree each time`);
  if (about.cover.length === 0) throw no("no capability covers exactly this call");
  if (about.runs === undefined) throw no("the question does not say which code would run");
  return { rule: about.rule, runs: digestOf(canonicalText(about.runs as unknown as Json)) };
}
