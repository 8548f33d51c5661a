import { expect, test } from "vitest";
import { cutLong } from "./cut-long.ts";

test("CUT-LONG-1: a text is cut at line ends, else at spaces, else at the limit, and its lines are counted", () => {
  expect(cutLong("one\ntwo\nthree", 8)).toEqual([
    { text: "one\ntwo", line: 1 },
    { text: "three", line: 3 },
  ]);
  expect(cutLong("one two three", 8)).toEqual([
    { text: "one two", line: 1 },
    { text: "three", line: 1 },
  ]);
  expect(cutLong("onetwothree", 4).map(({ text }) => text)).toEqual(["onet", "woth", "ree"]);
});

test("CUT-LONG-1: no piece is longer than the limit, and nothing but the sign at a cut is lost", () => {
  const text = Array.from({ length: 500 }, (_, n) => "x".repeat(n % 37)).join(" \n");

  const pieces = cutLong(text, 50).map((one) => one.text);

  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(50);
  expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
});
