import { expect, test } from "vitest";
import { oneLine, wholeText } from "./memory-text.ts";

const RED = "nine\u001b[31m";

test("MEMORY-TEXT-1: a terminal is told of control characters, and a pipe is given them", () => {
  expect(wholeText(RED, { terminal: true })).toBe("nine\\u001b[31m");
  expect(wholeText(RED, { terminal: false })).toBe(RED);
  expect(oneLine(RED)).toBe("nine\\u001b[31m");
});

test("text is itself, and all else is JSON", () => {
  expect(wholeText("a\nb", { terminal: true })).toBe("a\nb");
  expect(wholeText({ n: 1 }, { terminal: true })).toBe('{\n  "n": 1\n}');
  expect(oneLine({ n: 1 })).toBe('{"n":1}');
});

test("a row has one line, cut where it is long", () => {
  expect(oneLine("a\n  b")).toBe("a b");
  expect(oneLine("😀".repeat(81))).toBe(`${"😀".repeat(80)}…`);
  expect(oneLine("x".repeat(80))).toBe("x".repeat(80));
});
