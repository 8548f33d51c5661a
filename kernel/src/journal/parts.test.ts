import * as fc from "fast-check";
import { expect, test } from "vitest";
import { digestOf } from "./encoded-text.ts";
import { DIVIDED_LENGTH, splitText } from "./parts.ts";

type Stored = ReturnType<typeof splitText>;

/** Follows the lists, and checks every text on the way against its digest. */
function assemble(stored: Stored, digest: string): string {
  const found = stored.find((each) => each.digest === digest)!;
  const text =
    found.inParts === true
      ? found.body
          .split(" ")
          .map((part) => assemble(stored, part))
          .join("")
      : found.body;
  expect(digestOf(text)).toBe(digest);
  return text;
}

const messages = (count: number) =>
  Array.from({ length: count }, (_, turn) => ({ role: "user", content: `question ${turn}` }));

const stateOf = (count: number, before: object = {}) =>
  JSON.stringify({ ...before, talk: { messages: messages(count), opening: 1 }, rung: 0 });

const freshBytes = (before: string, after: string) => {
  const known = new Set(splitText(before, digestOf(before)).map(({ digest }) => digest));
  return splitText(after, digestOf(after))
    .filter(({ digest }) => !known.has(digest))
    .reduce((sum, { body }) => sum + body.length, 0);
};

test("PARTS-1: a short text is stored whole", () => {
  const text = "x".repeat(DIVIDED_LENGTH - 1);

  expect(splitText(text, "d")).toEqual([{ digest: "d", body: text }]);
});

test("PARTS-1: every text can be put together again from its pieces", () => {
  const piece = fc.oneof(fc.string({ unit: "binary" }), fc.constant('"},{"'), fc.constant("😀"));
  const texts = fc
    .tuple(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 300 }))
    .map(([pieces, times]) => pieces.join("").repeat(times).slice(0, 40_000).toWellFormed());
  fc.assert(
    fc.property(texts, (text) => {
      expect(assemble(splitText(text, digestOf(text)), digestOf(text))).toBe(text);
    }),
    { numRuns: 20 },
  );
});

test.each([100, 1_000, 5_000])(
  "PARTS-2: one message more than %i costs a few kilobytes",
  (count) => {
    expect(freshBytes(stateOf(count), stateOf(count + 1))).toBeLessThan(6_000);
  },
);

test("PARTS-2: a number that changes before the messages costs no more than one after them", () => {
  const [before, after] = [stateOf(3_000, { turn: 1_001 }), stateOf(3_000, { turn: 1_002 })];

  expect(freshBytes(before, after)).toBeLessThan(6_000);
});

test.each(["😀".repeat(20_000), `x${"😀".repeat(20_000)}`])("PARTS-3: no pair is cut", (text) => {
  for (const { body } of splitText(text, digestOf(text))) expect(body.isWellFormed()).toBe(true);
});
