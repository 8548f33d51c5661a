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
