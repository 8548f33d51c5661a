import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { renderWatch } from "./watch.ts";

const size = { columns: 10, rows: 5 };

test("a picture has as much as there is room for, and says how much it has not", () => {
  const picture = renderWatch("a\nb\nc\nd\ne", "", { columns: 40, rows: 5 });

  expect(picture).toEqual(["a", "b", "c", "", "2 more lines; q leaves"]);
});

test("a line is cut at the edge, and its colours are let go all the same", () => {
  const red = "\u001b[31mred and long, far too long\u001b[39m";

  const [line = ""] = renderWatch(red, "", size);

  expect(stripVTControlCharacters(line)).toBe("red and lo");
  expect(line.endsWith("\u001b[39m")).toBe(true);
});

test("a daemon that is away is a word below the last that was seen", () => {
  expect(renderWatch("a", "no daemon", { columns: 40, rows: 5 })).toEqual([
    "a",
    "",
    "no daemon; q leaves",
  ]);
});
