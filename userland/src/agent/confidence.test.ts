import { describe, expect, test } from "vitest";
import { answerFormOf } from "./answer-form.ts";
import { fromWords } from "./confidence.ts";

test.each([
  ["42\nconfidence: 0.9", "42", 0.9],
  ["a\nb\n\n**Confidence:** 1", "a\nb", 1],
  ["42\nconfidence = .25.\n", "42", 0.25],
  ["confidence: 0.5", "", 0.5],
  // CONFIDENCE-1
  ["42", "42", 0],
  ["42\nconfidence: high", "42", 0],
  ["42\nconfidence: 7", "42", 0],
  ["42\nconfidence: -0.5", "42", 0],
  ["42\nconfidence:", "42", 0],
  ["confidence: 0.9\n42", "confidence: 0.9\n42", 0],
])("%j is %j with %d", (said, text, confidence) => {
  expect(fromWords(said)).toEqual({ text, confidence });
});

describe("with a schema", () => {
  const form = answerFormOf({
    output: { schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } } } },
    confidence: { threshold: 0.5, below: "decline" },
  });
  const read = (value: unknown) => form.read(JSON.stringify(value));

  test("the answer and how sure it is are two members of what is asked for", () => {
    expect(form.schema).toMatchObject({ required: ["answer", "confidence"] });
    expect(form.request).toContain(JSON.stringify(form.schema));
    expect(read({ answer: { n: 1 }, confidence: 0.7 })).toEqual({
      fits: true,
      value: { n: 1 },
      confidence: 0.7,
    });
  });

  test("CONFIDENCE-1: left out, unreadable or beside the point it is 0", () => {
    const unsure = { fits: true, value: { n: 1 }, confidence: 0 };

    expect(read({ answer: { n: 1 } })).toEqual(unsure);
    expect(read({ answer: { n: 1 }, confidence: "0.9" })).toEqual(unsure);
    expect(read({ answer: { n: 1 }, confidence: 1.5 })).toEqual(unsure);
    expect(read({ n: 1 })).toEqual(unsure);
  });

  test("ANSWER-FORM-2: an answer that does not fit is told with its place", () => {
    expect(read({ answer: { n: "1" }, confidence: 1 })).toEqual({
      fits: false,
      problems: ["/answer/n must be integer"],
    });
  });
});
