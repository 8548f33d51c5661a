// QuestionList: the open questions as sentences, within the width of the terminal.
//
//   ask_01kx7f.5.policy  6s ago, expires in 23h
//     clerk has read something untrusted and wants to use file.append, which
//     cannot be taken back
//     file.append line=Dear sir path=/work/ledger.txt

import type { Question } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import { ago, left } from "../table.ts";
import { cutToWidth } from "../cut-to-width.ts";
import { askedCall, questionSentence, wrap } from "./question-text.ts";

const INDENT = "  ";

export function questionList(
  questions: readonly Question[],
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): string {
  if (questions.length === 0) return "No question is open.";
  const blocks = questions.map((question) => {
    const inner = width - INDENT.length;
    const call = askedCall(question);
    const lines = [
      ...wrap(questionSentence(question), inner),
      ...(call === undefined ? [] : [cutToWidth(call, inner)]),
    ];
    const head = cutToWidth(`${question.id}  ${whenOf(question, nowMs)}`, width);
    return [colors.bold(head), ...lines.map((line) => INDENT + line)].join("\n");
  });
  const answers = "Answer: aos approve [ID], aos deny ID. In full: aos approvals show ID.";
  return `${blocks.join("\n\n")}\n\n${colors.dim(answers)}`;
}

function whenOf({ askedAt, expiresAt, count, votes, quorum }: Question, nowMs: number): string {
  return [
    `${ago(askedAt, nowMs)} ago`,
    ...(expiresAt === null ? [] : [`expires in ${left(expiresAt, nowMs)}`]),
    ...(count > 1 ? [`${count} calls wait`] : []),
    ...(quorum > 1 ? [`${votes.length} of ${quorum} votes`] : []),
  ].join(", ");
}
