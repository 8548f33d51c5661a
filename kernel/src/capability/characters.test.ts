import { describe, expect, test } from "vitest";
import { codeName, flawIn, isInvisible } from "./characters.ts";

/** As Unicode has them; U+2800 is an empty pattern of dots, and the last three mark annotations. */
const UNSEEN = /[\p{Cc}\p{Z}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

describe("a character that nobody can see (CHARACTERS-1)", () => {
  test("is what Unicode calls a control, a space, a mark of direction, or nothing to be shown", () => {
    const unlike: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const isUnseen = point !== 0x20 && UNSEEN.test(String.fromCodePoint(point));
      if (isInvisible(point) !== isUnseen) unlike.push(codeName(point));
    }

    expect(unlike).toEqual([]);
  });

  test.each<[string, string, number]>([
    ["\u0000", "invisible character U+0000", 0],
    ["a\u007f", "invisible character U+007F", 1],
    ["a\u00ad", "invisible character U+00AD", 1],
    ["é\u202eb", "invisible character U+202E", 1],
    ["\uffff\u200b", "invisible character U+200B", 1],
    ["\u{1f600}\u{e0041}", "invisible character U+E0041", 2],
    ["\u{10000}\u200b", "invisible character U+200B", 2],
  ])("%j is a flaw: %s at %i", (text, problem, at) => {
    expect(flawIn(text)).toEqual({ problem, at });
  });
});

describe("a text that has another spelling (CHARACTERS-2)", () => {
  test.each<[string, string, number]>([
    ["a\ud800", "half a surrogate pair", 1],
    ["\udfffa", "half a surrogate pair", 0],
    ["é\udbff", "half a surrogate pair", 1],
    ["e\u0301", "not in Unicode normal form C", 0],
    ["ab\u212b", "not in Unicode normal form C", 2],
    ["aé\u0958", "not in Unicode normal form C", 2],
  ])("%j is a flaw: %s at %i", (text, problem, at) => {
    expect(flawIn(text)).toEqual({ problem, at });
  });
});

test.each(["", " ", "~", "a b", "é", "\ud7ff\ue000", "\uffff", "\u{10000}", "\u{1f600}\u{10ffff}"])(
  "nothing is wrong with %j",
  (text) => {
    expect(flawIn(text)).toBeNull();
  },
);

test("a character is named as Unicode names it", () => {
  expect([0xa, 0xad, 0x202e, 0xe0041].map(codeName)).toEqual([
    "U+000A",
    "U+00AD",
    "U+202E",
    "U+E0041",
  ]);
});
