import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonScan, MAX_JSON_DEPTH, MAX_VALUES, parseJson } from "./read-request.ts";

test("PARSE-JSON-1: any JSON of a usual size is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test("PARSE-JSON-1: too many keys are refused before they are parsed", () => {
  const keys = Array.from({ length: MAX_VALUES + 1 }, (_, n) => `"k${n}":1`);

  expect(() => parseJson(`{${keys.join(",")}}`)).toThrow(/more than 100000 values/);
  // Not even JSON: it was never parsed.
  expect(() => parseJson(",".repeat(MAX_VALUES))).toThrow(/more than 100000 values/);
});

test("PARSE-JSON-1: too many levels are refused", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  expect(parseJson(nested(MAX_JSON_DEPTH))).toBeInstanceOf(Array);
  expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow(/nested more than 500/);
});

test("PARSE-JSON-1: what is in a string does not count, whatever it is escaped with", () => {
  const text = JSON.stringify({ text: '\\",{[\\\\"'.repeat(MAX_VALUES) });

  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test("what is no JSON is said so", () => {
  expect(() => parseJson('{"a":')).toThrow(/the body is not JSON/);
});

test("PARSE-JSON-1: with lines each is counted for itself, in whatever pieces it comes", () => {
  const line = Buffer.from(`[${"1,".repeat(MAX_VALUES / 2)}1]\n`);
  const scan = new JsonScan("a message", { isLines: true });
  for (let n = 0; n < 3; n++) {
    scan.feed(line.subarray(0, 1000));
    scan.feed(line.subarray(1000));
  }

  const long = Buffer.from(`[${"1,".repeat(MAX_VALUES)}`);
  expect(() => scan.feed(long)).toThrow(/a message has more than/);
});
