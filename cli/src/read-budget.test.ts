import { expect, test } from "vitest";
import { readBudget } from "./read-budget.ts";

test("a budget is read with its units", () => {
  expect(readBudget("usd=0.50, tokens=200k,toolCalls=20,wall=10m")).toEqual({
    usd: 0.5,
    tokens: 200_000,
    toolCalls: 20,
    wallMs: 600_000,
  });
});

test.each(["dollars=1", "usd", "usd=-1", "wall=10", "tokens=many", "", "constructor=1"])(
  "%j is refused with the form to use",
  (text) => {
    expect(() => readBudget(text)).toThrow(
      expect.objectContaining({ code: "EINVAL", hint: expect.stringContaining("usd=0.50") }),
    );
  },
);
