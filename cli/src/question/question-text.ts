// QuestionText: a question in words, for a list and for the person who answers it.
//
// QUESTION-TEXT-1  What an agent chose cannot look like a line of ours, nor control the terminal: it is escaped, and
//                  every line of it is indented.
// QUESTION-TEXT-2  Where a line is cut it ends with an ellipsis. The full arguments are in `aos approvals show`.

import type { Question } from "@aos/protocol/words";
import { indented, printable } from "../printable.ts";
import { shownWidth } from "../shown-width.ts";

/** The question without the call that the kernel appends to it. */
export function questionSentence({ question, about }: Question): string {
  const call = about === null ? -1 : question.lastIndexOf(` (${about.agent} wants to `);
  return onOneLine(call > 0 ? question.slice(0, call) : question);
}

/** `file.append line=…  path=…`; undefined where no call is asked about. */
export function askedCall({ about }: Question): string | undefined {
  if (about === null) return undefined;
  const named = argumentsOf(about).map(([name, value]) => `${name}=${onOneLine(value)}`);
  return [about.tool ?? about.call, ...named].join(" ");
}

/** What a person reads before an answer. */
export function questionCard(question: Question, width: number): string {
  const { about, choices, votes, quorum } = question;
  const lines = wrap(questionSentence(question), width);
  if (about !== null) {
    for (const [name, value] of argumentsOf(about)) lines.push(`  ${name}: ${indented(value)}`);
    for (const touch of about.touches.filter((touch) => !touch.startsWith("tool:")))
      lines.push(`  touches ${onOneLine(touch)}`);
    lines.push(`  has read ${about.label} data (${about.colour})`);
  }
  if (quorum > 1) lines.push(`  ${votes.length} of ${quorum} votes`);
  if (about === null && choices.length > 0)
    lines.push(`  answers: ${choices.map(onOneLine).join(", ")}`);
  return lines.join("\n");
}

/** The arguments of the tool, or those of the call. */
function argumentsOf({ args, tool }: NonNullable<Question["about"]>): [string, string][] {
  const given = readObject(args);
  if (given === undefined) return [["arguments", args]];
  const own = tool === null ? given : (given["args"] as Record<string, unknown> | undefined);
  return Object.entries(own ?? {}).map(([name, value]) => [
    printable(name),
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}

/** Long arguments are the beginning of a JSON text. */
function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export const onOneLine = (text: string): string => printable(text.replaceAll(/\s+/g, " "));

/** Lines of at most this width, broken between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && shownWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}
