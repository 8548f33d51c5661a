import * as fc from "fast-check";
import { integrities, secrecies, type Label } from "@aos/protocol";
import { expect, test } from "vitest";
import {
  CLEAN,
  isAtMost,
  isTag,
  join,
  labelText,
  mayLeave,
  readLabel,
  UNLABELLED,
} from "./label.ts";

const tags = fc.uniqueArray(fc.constantFrom("a", "b", "c.d", "E_1-x"), { maxLength: 4 });
const label: fc.Arbitrary<Label> = fc
  .record({
    integrity: fc.constantFrom(...integrities),
    secrecy: fc.constantFrom(...secrecies),
    tags,
  })
  .map(({ tags, ...plain }) => (tags.length === 0 ? plain : { ...plain, tags: tags.toSorted() }));

test("LABEL-1: join is the least upper bound", () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      expect(join(a, b)).toEqual(join(b, a));
      expect(join(join(a, b), c)).toEqual(join(a, join(b, c)));
      expect(join(a, a)).toBe(a);
      expect(isAtMost(a, join(a, b))).toBe(true);
      if (isAtMost(a, c) && isAtMost(b, c)) expect(isAtMost(join(a, b), c)).toBe(true);
    }),
  );
});

test("nothing gets more trusted, less secret or less marked by a join", () => {
  fc.assert(
    fc.property(label, label, (a, b) => {
      const both = join(a, b);
      for (const one of [a, b]) {
        expect(integrities.indexOf(both.integrity)).toBeGreaterThanOrEqual(
          integrities.indexOf(one.integrity),
        );
        expect(secrecies.indexOf(both.secrecy)).toBeGreaterThanOrEqual(
          secrecies.indexOf(one.secrecy),
        );
        for (const tag of one.tags ?? []) expect(both.tags).toContain(tag);
      }
    }),
  );
});

test("text and back is the same label", () => {
  fc.assert(
    fc.property(label, (one) => {
      expect(readLabel(labelText(one))).toEqual(one);
    }),
  );
  expect(labelText({ integrity: "untrusted", secrecy: "secret", tags: ["a", "b"] })).toBe(
    "untrusted/secret#a,b",
  );
  expect(readLabel("trusted/public#b,a,b").tags).toEqual(["a", "b"]);
});

test.each([
  "trusted",
  "trusted/",
  "trusted/public/more",
  "Trusted/public",
  "green/public",
  "trusted/private",
  "trusted/public#",
  "trusted/public#a b",
  "trusted/public#a#b",
  "",
])("there is no label %j", (text) => {
  expect(() => readLabel(text)).toThrow("no label");
});

test("only what is not secret may leave", () => {
  expect(mayLeave(CLEAN)).toBe(true);
  expect(mayLeave({ integrity: "trusted", secrecy: "confidential" })).toBe(true);
  expect(mayLeave({ integrity: "trusted", secrecy: "secret" })).toBe(false);
});

test("what nobody labelled is untrusted", () => {
  expect(UNLABELLED).toEqual({ integrity: "untrusted", secrecy: "public" });
  expect(isAtMost(CLEAN, UNLABELLED)).toBe(true);
  expect(isAtMost(UNLABELLED, CLEAN)).toBe(false);
});

test("a tag is a plain word", () => {
  expect(["a", "A.b-c_1"].every(isTag)).toBe(true);
  expect(["", "a b", "a,b", "a#b", "ä"].some(isTag)).toBe(false);
});
