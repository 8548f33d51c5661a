import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.each([
  ["a bidirectional override", "a\u202eb", "a\\u202eb"],
  ["an isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
  ["a terminal's escape", "\u001b[2J\u009b", "\\u001b[2J\\u009b"],
  ["a carriage return and a backspace", "a\r\b", "a\\u000d\\u0008"],
  ["what has no width", "a\u200bb\u200dc\ufeff\u00ad", "a\\u200bb\\u200dc\\ufeff\\u00ad"],
  ["a letter without a shape", "\u3164\u115f\u2800", "\\u3164\\u115f\\u2800"],
  ["a line separator", "\u2028", "\\u2028"],
  ["tags beyond the first plane", "\u{e0041}\u{e0100}", "\\udb40\\udc41\\udb40\\udd00"],
  ["half of a character", "\ud800", "\\ud800"],
])("%s is shown as an escape", (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
  expect(visibleText(visibleText(text))).toBe(shown);
  if (text !== "\ud800") expect(JSON.parse(`"${shown}"`)).toBe(text);
});

test("words of any language, tabs, line breaks and emoji stay", () => {
  const text = "ünï €\t日本語\nעברית ✔️ 🙂";
  expect(visibleText(text)).toBe(text);
});
