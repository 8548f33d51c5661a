// QuestionDetail: all that is known of a question, as names and values.

import type { Question } from "@aos/protocol/words";
import { detailText, each } from "../detail-text.ts";
import { formatRuns } from "../format-runs.ts";
import { indented } from "../printable.ts";

type Line = readonly [name: string, value: string | null | undefined];

export const questionDetail = (question: Question): string =>
  detailText(linesOf(question).map(shown));

/** What an agent chose must not look like a line of ours. */
const shown = ([name, value]: Line): Line => [name, value && indented(value)];

function linesOf(question: Question): Line[] {
  const { about, people } = question;
  return [
    ["id", question.id],
    ["kind", question.kind],
    ["question", question.question],
    ["choices", question.choices.join(", ") || "free text"],
    ["asked at", question.askedAt],
    ["expires at", question.expiresAt],
    ["processes", each(question.pids)],
    ["channel", question.channel],
    ["may answer", people === null ? null : people.join(", ")],
    ["needed", String(question.quorum)],
    ["votes", each(question.votes.map(({ person, choice, at }) => `${person} ${choice} ${at}`))],
    ["agent", about?.agent],
    ["call", about?.call],
    ["tool", about?.tool],
    [about === null ? "arguments" : `arguments (${about.args.length})`, about?.args],
    ["touches", about === null ? null : each(about.touches)],
    ["effect", about?.effect],
    ["reaches", about === null || about.sinks.length === 0 ? null : about.sinks.join(", ")],
    ...formatRuns(about?.runs),
    ["has read", about === null ? null : `${about.label} (${about.colour})`],
    ["rule", about?.rule],
    [question.kind === "proposal" ? "gives" : "always gives", coverOf(question)],
    ["new in that", about?.difference === undefined ? null : each(about.difference)],
    ["digest", question.digest],
  ];
}

function coverOf({ about }: Question): string | null {
  if (about === null || about.cover.length === 0) return null;
  return about.everyTime ? "nothing: the rule asks every time" : each(about.cover);
}
