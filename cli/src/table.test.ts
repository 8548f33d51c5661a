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
