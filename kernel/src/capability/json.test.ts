import { describe, expect, test } from "vitest";
import { type PinValue, scanJson, sameJson, writeJson } from "./json.ts";

const nested = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

describe("a value is read where it starts, and says where it ends", () => {
  test.each<[string, PinValue, number]>([
    ["null", null, 4],
    ["true}", true, 4],
    ["false ]", false, 5],
    ["-1.5e3,", -1500, 6],
    ['"a\\"b\\\\" x', 'a"b\\', 8],
    ['"\\u202e"', "\u202e", 8],
    ["[]]", [], 2],
    ["[ 1 , [2] ]x", [1, [2]], 11],
    ["{ }", {}, 3],
    ['{ "a" : 1 , "b":{"c":[]}}}', { a: 1, b: { c: [] } }, 25],
    ["1:2", 1, 1],
  ])("%s", (text, value, end) => {
    expect(scanJson(text, 0)).toEqual({ value, end });
    expect(scanJson(`12${text}`, 2)).toEqual({ value, end: end + 2 });
  });

  test("minus zero is zero", () => {
    expect(Object.is(scanJson("-0", 0).value, 0)).toBe(true);
  });

  test("16 lists or objects in each other are read, and no more", () => {
    expect(scanJson(nested("[", "]", 16), 0).end).toBe(33);
    expect(scanJson(nested('{"a":', "}", 16), 0).end).toBe(97);
    const deeper = { problem: "JSON nested too deeply" };
    expect(() => scanJson(nested("[", "]", 17), 0)).toThrow(
      expect.objectContaining({ ...deeper, at: 17 }),
    );
    expect(() => scanJson(nested('{"a":', "}", 17), 0)).toThrow(
      expect.objectContaining({ ...deeper, at: 85 }),
    );
  });
});

test.each<[string, string, number]>([
  ["", "not a JSON value", 0],
  ["nul", "not a JSON value", 0],
  ["01", "not a JSON value", 0],
  ['"', "not a JSON value", 0],
  ['"a\\"', "not a JSON value", 0],
  ['"\\x"', "not a JSON value", 0],
  ["1e999", "number too large", 0],
  ["[-1e999]", "number too large", 1],
  ['"a\u00ad"', "invisible character U+00AD: escape it", 2],
  ['"\u{e0041}"', "invisible character U+E0041: escape it", 1],
  ["[1", "expected , or ]", 2],
  ["[1 2]", "expected , or ]", 3],
  ["[,]", "not a JSON value", 1],
  ["[1,]", "not a JSON value", 3],
  ["{1:2}", "expected a key", 1],
  ['{"a" 1}', "expected :", 5],
  ['{"a":1]', "expected , or }", 6],
  ['{"a":1,}', "expected a key", 7],
  ['{"a":1,"a":2}', "key refused, or named twice", 7],
  ['{"constructor":1}', "key refused, or named twice", 1],
  ['{"prototype":1}', "key refused, or named twice", 1],
])("%j is refused: %s at %i", (text, problem, at) => {
  expect(() => scanJson(text, 0)).toThrow(expect.objectContaining({ problem, at }));
});

test.each<[PinValue, string]>([
  [null, "null"],
  [[1, "a", [true]], '[1,"a",[true]]'],
  [{ b: 1, a: { d: [], c: "" } }, '{"a":{"c":"","d":[]},"b":1}'],
  [[{ b: "\u00ad", a: 1 }], '[{"a":1,"b":"\\u00ad"}]'],
  ["é\u{1f600}", '"é\u{1f600}"'],
  ["\u00ad\u007f\n", '"\\u00ad\\u007f\\n"'],
  ["\u{e0041}", '"\\udb40\\udc41"'],
  [{ "\u202e": 1 }, '{"\\u202e":1}'],
])("%j has one text, in which nothing is invisible", (value, text) => {
  expect(writeJson(value)).toBe(text);
  expect(scanJson(text, 0).value).toEqual(value);
});

describe("two values are compared as JSON", () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, 2, false],
    [1, "1", false],
    [null, null, true],
    [null, {}, false],
    [{}, null, false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [1, 3], false],
    [[1, 2], [2, 1], false],
    [[1], [1, 2], false],
    [[1, 2], [1], false],
    [[], {}, false],
    [{}, [], false],
    [{ 0: "a" }, ["a"], false],
    [["a"], "a", false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: undefined }, { b: undefined }, false],
    [{ toString: undefined }, { a: undefined }, false],
  ])("%j and %j: %s", (a, b, isSame) => {
    expect(sameJson(a, b)).toBe(isSame);
  });
});
