// Vote: the answer of one person to one question, signed with the key of the audit log.
//
// VOTE-1  The signature covers question, digest, person, choice, reason and time: no part can be changed or moved to
//     another question.
// VOTE-2  One no is enough; a yes, and any other choice, needs the quorum.

import { canonicalText, type Json } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import type { QuestionRow, VoteRow } from "../store/rows.ts";

/** What is signed. */
export const voteText = (
  { question, person, choice, reason, at }: Omit<VoteRow, "signature" | "tenant" | "process">,
  digest: string,
): string => canonicalText({ question, digest, person, choice, reason, at });

/** VOTE-2. How many must make this choice. */
export function votesNeeded(
  { kind, quorum }: Pick<QuestionRow, "kind" | "quorum">,
  choice: string,
) {
  const isDecision = kind === "policy" || kind === "proposal";
  return isDecision && choice === "deny" ? 1 : quorum;
}

/** All that a person is shown, as a digest: the ledger has it with every vote. */
export function shownDigest(row: QuestionRow): string {
  const { id, pid, kind, question, choices, digest, channel, quorum, about } = row;
  const shown = { id, pid, kind, question, choices: [...choices], digest, channel, quorum, about };
  return digestOf(canonicalText(shown as Json));
}

/** What the ledger says of a vote. */
export interface VoteDetail {
  readonly question: string;
  readonly pid: string;
  readonly digest: string;
  readonly shown: string;
  readonly choice: string;
  readonly reason: string | null;
  readonly at: number;
  readonly signature: string | null;
}

export const voteDetail = (
  row: QuestionRow,
  { choice, reason, at, signature }: VoteRow,
): VoteDetail => ({
  question: row.id,
  pid: row.pid,
  digest: row.digest,
  shown: shownDigest(row),
  choice,
  reason,
  at,
  signature,
});
