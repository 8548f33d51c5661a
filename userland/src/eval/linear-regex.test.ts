import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileRegex } from "./linear-regex.ts";

const leaf = fc.constantFrom(
  "a",
  "b",
  "c",
  ".",
  "\\d",
  "\\w",
  "\\W",
  "[ab]",
  "[^a]",
  "[a-c1]",
  "\\.",
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{0,2}?", "*?"))
      .map(([of, times]) => `(${of})${times}`),
    tie("pattern").map((of) => `^${of}`),
    tie("pattern").map((of) => `${of}$`),
    tie("pattern").map((of) => `\\b${of}`),
  ),
}));

describe("a linear regular expression", () => {
  test("matches what RegExp matches (LINEAR-REGEX-3)", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "c", "A", "1", ".", " ", "\n"),
      maxLength: 12,
    });
    const flags = fc.constantFrom("", "i", "m", "s", "im");
    fc.assert(
      fc.property(pattern, flags, text, (written, chosen, on) => {
        const expected = new RegExp(written, `${chosen}u`).test(on);
        expect(compileRegex(written, chosen).test(on)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test("takes no time that explodes with the text (LINEAR-REGEX-1)", () => {
    const text = `${"a".repeat(20_000)}!`;

    for (const bad of ["^(a+)+$", "^(a|aa)+$", "^(a*)*b$", "(.*a){12}z"])
      expect(compileRegex(bad).test(text)).toBe(false);
  });

  test("refuses what cannot be searched so (LINEAR-REGEX-2)", () => {
    const refused = [
      "(a)\\1",
      "(?=a)b",
      "(?<!a)b",
      "a{2000}",
      "((a{500}){500})",
      "*a",
      "a**",
      "(",
      "[a",
    ];

    for (const one of refused) expect(() => compileRegex(one), one).toThrow(/./);
    expect(() => compileRegex("(?=a)b")).toThrow("look-around");
    expect(() => compileRegex("(a)\\1")).toThrow("back references");
  });

  test("reads characters by their codes", () => {
    expect(compileRegex("^\\u{1F600}\\x41[\\u0042]$").test("😀AB")).toBe(true);
    expect(compileRegex("^(?<year>\\d{4})-\\d\\d$").test("2026-11")).toBe(true);
    expect(compileRegex("ß|É", "i").test("é")).toBe(true);
  });
});
