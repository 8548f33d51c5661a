import { expect, test } from "vitest";
import { cutToWidth } from "./cut-to-width.ts";
import { shownWidth } from "./shown-width.ts";

test("a text that fits is as it was, and a cut one ends with an ellipsis", () => {
  expect(cutToWidth("abcde", 5)).toBe("abcde");
  expect(cutToWidth("abcdef", 5)).toBe("abcd…");
});

test("CUT-TO-WIDTH-1: a wide character is kept whole or not at all", () => {
  for (let columns = 2; columns < 9; columns++)
    expect(shownWidth(cutToWidth("漢字かな交じり", columns))).toBeLessThanOrEqual(columns);
  expect(cutToWidth("漢字かな", 6)).toBe("漢字…");
  expect(cutToWidth("a👩‍👧b", 3).isWellFormed()).toBe(true);
});

test("CUT-TO-WIDTH-1: a colour that was begun ends with the cut", () => {
  expect(cutToWidth("\u001b[31mabcdef\u001b[39m", 4)).toBe("\u001b[31mabc…\u001b[0m");
});
