// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Answer form: how the final answer of an agent is requested and parsed. Four cases: text or a schema, with or
// without a confidence.
//
// ANSWER-FORM-1  The parsed answer does not contain the confidence.
// ANSWER-FORM-2  With a schema the answer matches it, or the problems are reported.

import type { Json, JsonObject, Manifest } from "@aos/protocol";
import {
  askedInJson,
  askedInWords,
  fromWords,
  readConfidence,
  withConfidence,
} from "./confidence.ts";
import { readAnswer, refuseUncheckable } from "./output-schema.ts";

export type FinalAnswer =
  | { readonly fits: true; readonly value: Json; readonly confidence: number }
  | { readonly fits: false; readonly problems: readonly string[] };

export interface AnswerForm {
  /** For the system prompt. */
  readonly request: string | undefined;
  /** For the model's vendor, where the answer is JSON. */
  readonly schema: Json | undefined;
  read(text: string): FinalAnswer;
}

/** Throws EINVAL for a schema that could not be checked whole. */
export function answerFormOf({ output, confidence }: Pick<Manifest, "output" | "confidence">) {
  const schema = output?.schema as Json | undefined;
  if (schema === undefined) return confidence === undefined ? WORDS : SURE_WORDS;
  refuseUncheckable(schema);
  return confidence === undefined ? jsonForm(schema) : sureJsonForm(schema);
}

/** Where nobody asks how sure it is, it is sure enough. */
const SURE = 1;

const WORDS: AnswerForm = {
  request: undefined,
  schema: undefined,
  read: (text) => ({ fits: true, value: text, confidence: SURE }),
};

const SURE_WORDS: AnswerForm = {
  request: askedInWords(),
  schema: undefined,
  read(said) {
    const { text, confidence } = fromWords(said);
    return { fits: true, value: text, confidence };
  },
};

const asked = (schema: Json): string =>
  "Give your final answer as one JSON value that fits this JSON Schema, and nothing else:\n" +
  JSON.stringify(schema);

const jsonForm = (schema: Json): AnswerForm => ({
  request: asked(schema),
  schema,
  read(text) {
    const answer = readAnswer(text, schema);
    return answer.fits ? { ...answer, confidence: SURE } : answer;
  },
});

/** A model that leaves the confidence out, or gives the bare answer, is not sure at all. */
function sureJsonForm(schema: Json): AnswerForm {
  const both = withConfidence(schema);
  const onlyAnswer: JsonObject = {
    type: "object",
    required: ["answer"],
    properties: { answer: schema },
  };
  return {
    request: `${asked(both)}\n${askedInJson()}`,
    schema: both,
    read(text) {
      const wrapped = readAnswer(text, onlyAnswer);
      if (wrapped.fits) {
        const { answer, confidence } = wrapped.value as JsonObject;
        return { fits: true, value: answer!, confidence: readConfidence(confidence) };
      }
      const bare = readAnswer(text, schema);
      return bare.fits ? { ...bare, confidence: 0 } : wrapped;
    },
  };
}
