import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainCopy, scrubbedCopy } from "./codec.ts";

const byText = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const asIs = (text: string) => text;

test("PLAIN-COPY-1: a plain value is copied to what its text would give, member by member in the same order", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      fc.pre(!/"(__proto__|toJSON)"/.test(JSON.stringify(value)));

      const copy = plainCopy(value);

      expect(copy).toEqual(byText(value));
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    }),
  );
});

test("PLAIN-COPY-1: whatever is passed, a copy is what the text gives, or there is none", () => {
  const odd = fc.oneof(
    fc.constantFrom(undefined, NaN, Infinity, -0, () => 1, Symbol("s"), 1n, new Date(0), /x/),
    fc.constantFrom(new Map(), new Uint8Array(2), new URLSearchParams(), Object.create(null)),
    fc.anything(),
  );
  fc.assert(
    fc.property(fc.oneof(odd, fc.dictionary(fc.string(), odd), fc.array(odd)), (value) => {
      const copy = plainCopy(value);

      if (copy === undefined) return;
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      expect(copy).toStrictEqual(byText(value));
    }),
  );
});

test.each([
  ["that says itself how it is written", { toJSON: () => "other" }],
  ["whose list does", Object.assign([1], { toJSON: () => "other" })],
  ["with a list of another class", { list: new (class extends Array {})() }],
  ["with a number that JSON has not", [NaN]],
  ["with a hole", [1, , 2]], // oxlint-disable-line no-sparse-arrays
  ["with a member called __proto__", JSON.parse('{"__proto__":{"tool":"x"}}')],
  ["with a date", { at: new Date(0) }],
])("PLAIN-COPY-1: of a value %s there is no plain copy", (_, value) => {
  expect(plainCopy(value)).toBeUndefined();
});

test("PLAIN-COPY-1: a value that holds itself has no plain copy, and no text either", () => {
  const value: { self?: unknown } = {};
  value.self = value;

  expect(plainCopy(value)).toBeUndefined();
  expect(() => scrubbedCopy(value, asIs)).toThrow("not a JSON value");
});

test("PLAIN-COPY-1: members without a value are left out, and -0 is 0", () => {
  expect(plainCopy({ a: undefined, b: -0 })).toStrictEqual({ b: 0 });
});

test("PLAIN-COPY-2: what is used is what is recorded, whatever a getter says the second time", () => {
  let reads = 0;
  const value = { get path() { return `/work/${reads++}`; } }; // prettier-ignore

  const { text, value: used } = scrubbedCopy(value, asIs);

  expect(used).toEqual(JSON.parse(text));
  expect(reads).toBe(1);
});

test("a copy is nobody else's: what its giver changes afterwards is not in it", () => {
  const given = { list: [{ name: "a" }] };

  const { value } = scrubbedCopy(given, asIs);
  given.list[0]!.name = "b";

  expect(value).toEqual({ list: [{ name: "a" }] });
});

test("a text that was scrubbed is what counts, not the copy of what it was made of", () => {
  const { text, value } = scrubbedCopy({ key: "secret" }, (said) => said.replace("secret", "***"));

  expect([text, value]).toEqual(['{"key":"***"}', { key: "***" }]);
});
