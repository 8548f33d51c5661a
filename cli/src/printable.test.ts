import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test("what would move the cursor or turn the writing is spelled out; the rest stays", () => {
  expect(printable("a\u001b[2J\rb\u202Ec\u0007\u009b")).toBe(
    "a\\u001b[2J\\u000db\\u202ec\\u0007\\u009b",
  );
  expect(printable("+\tünï €\n-\n")).toBe("+\tünï €\n-\n");
});
