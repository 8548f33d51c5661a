import { expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import { digestOf } from "../journal/codec.ts";
import { cutResult, pieceOf } from "./cut-result.ts";

const cut = (value: Json, most: number) => cutResult(JSON.stringify(value), most);

test("what is short enough is left alone, to the last character", () => {
  const text = JSON.stringify("x".repeat(98));
  expect(cutResult(text, 100)).toBeUndefined();
  expect(cutResult(text, 99)).toBeDefined();
});

test("CUT-RESULT-1, CUT-RESULT-2: what is told says what is missing and where the whole is, which is kept", () => {
  const text = `begin${"-".repeat(10_000)}end`;
  const { value, blob } = cut(text, 1000)!;
  expect(blob).toEqual({ digest: digestOf(JSON.stringify(text)), body: JSON.stringify(text) });
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(1000);
  expect(value).toMatch(/^begin-+\n\[cut: \d+ of 10008 characters are left out here; .*\]\n-+end$/);
  expect(value).toContain(`/self/results/${blob.digest}`);
  const [, missing] = /cut: (\d+) of/.exec(value as string)!;
  const shown = (value as string).split("\n").filter((line) => !line.startsWith("["));
  expect(Number(missing) + shown.join("").length).toBe(text.length);
});

test("CUT-RESULT-3: an object keeps its shape, and its short parts are whole", () => {
  const { value } = cut({ code: 0, out: "o".repeat(9000), err: "fine", list: [1, null] }, 2000)!;
  expect(value).toMatchObject({ code: 0, err: "fine", list: [1, null] });
  expect((value as { out: string }).out).toContain("characters are left out here");
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(2000);
});

test("CUT-RESULT-3: several long texts share the room", () => {
  const { value } = cut({ out: "o".repeat(9000), err: "e".repeat(9000) }, 3000)!;
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(3000);
  expect((value as { err: string }).err).toMatch(/^e+\n\[cut/);
});

test("what is long by its many parts is cut as text", () => {
  const numbers = Array.from({ length: 5000 }, (_, i) => i);
  const { value } = cut(numbers, 2000)!;
  expect(value).toMatch(/^\[0,1,2.*\n\[cut: .*\]\n.*4999\]$/s);
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(2000);
});

test("no character is cut in half", () => {
  for (const most of [1000, 1001, 1002, 1003]) {
    const { value } = cut("😀".repeat(3000), most)!;
    expect(value).not.toMatch(
      /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/,
    );
  }
});

test("a piece says where the next begins, and that there is none", () => {
  expect(pieceOf("abcdef", 0, 4)).toEqual({ text: "abcd", next: 4, of: 6 });
  expect(pieceOf("abcdef", 4, 4)).toEqual({ text: "ef", next: null, of: 6 });
  expect(pieceOf("abcdef", 6, 4)).toEqual({ text: "", next: null, of: 6 });
  expect(() => pieceOf("abcdef", 7, 4)).toThrow("it ends at 6");
});
