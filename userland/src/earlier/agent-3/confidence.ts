// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Confidence: requests the confidence of a model in its answer and removes it from the answer.
//
//   askedInWords()             for the system prompt: the last line of the answer says it
//   fromWords("42\nconfidence: 0.9")        { text: "42", confidence: 0.9 }
//   withConfidence(schema)     the schema of an answer that has it beside it
//   fromValue(value)           { value, confidence } of what fits that schema
//
// CONFIDENCE-1  A confidence that is missing, unreadable or outside 0 to 1 counts as 0.

import type { Json, JsonObject } from "@aos/protocol";

export const askedInWords = (): string =>
  "End your final answer with one line of its own, `confidence: N`, where N is a number from 0 to 1 " +
  "that says how sure you are that the answer is right. Be honest: what is not sure enough is " +
  "checked again, or not given.";

export const askedInJson = (): string =>
  "`answer` is your answer, and `confidence` a number from 0 to 1 that says how sure you are that it " +
  "is right. Be honest: what is not sure enough is checked again, or not given.";

const LINE = /^[\s*_`>]*confidence[\s*_`]*[:=][\s*_`]*(.*?)[\s*_`.]*$/i;
const LONGEST_LINE = 200;
const NUMBER = /^(?:\d+(?:\.\d+)?|\.\d+)$/;

export function fromWords(text: string): { text: string; confidence: number } {
  const whole = text.trimEnd();
  const end = whole.lastIndexOf("\n") + 1;
  const said = whole.length - end > LONGEST_LINE ? null : LINE.exec(whole.slice(end));
  if (said === null) return { text, confidence: 0 };
  const confidence = NUMBER.test(said[1]!) ? readConfidence(Number(said[1])) : 0;
  return { text: whole.slice(0, end).trimEnd(), confidence };
}

/** The keywords are those that vendors take: the range stands in the words. */
export const withConfidence = (schema: Json): JsonObject => ({
  type: "object",
  required: ["answer", "confidence"],
  properties: { answer: schema, confidence: { type: "number" } },
  additionalProperties: false,
});

/** What a model said of itself; CONFIDENCE-1. */
export const readConfidence = (said: Json | undefined): number =>
  typeof said === "number" && said >= 0 && said <= 1 ? said : 0;
