import { expect, test } from "vitest";
import { table } from "./table.ts";

test("a colour takes no room: columns stand below each other", () => {
  const red = "\u001b[31mno\u001b[39m";

  const [, first, second] = table(
    ["", "CHECK"],
    [
      ["ok", "node"],
      [red, "home"],
    ],
  ).split("\n");

  expect([first, second]).toEqual(["ok  node", `${red}  home`]);
});

test("a column with + is there when it is wide, and its cells with it", () => {
  const made = (isWide: boolean) =>
    table(["PID", "+LANE", "AGE"], [["a", "low", "1s"]], { isWide });

  expect(made(false)).toBe("PID  AGE\na    1s");
  expect(made(true)).toBe("PID  LANE  AGE\na    low   1s");
});

test.each(["\u65e5\u672c", "\u{1f44d}\u{1f44d}", "\ud55c\uae00", "abcd", "e\u0301\u00e9xy"])(
  "SHOWN-WIDTH-1: %s takes four columns",
  (wide) => {
    const [, first, second] = table(
      ["A", "B"],
      [
        [wide, "x"],
        ["1234", "y"],
      ],
    ).split("\n");

    expect([first, second]).toEqual([`${wide}  x`, "1234  y"]);
  },
);
