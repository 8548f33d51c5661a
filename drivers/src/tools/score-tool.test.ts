import { expect, test } from "vitest";
import { readScore } from "./score-tool.ts";

const printed = (stdout: string, code = 0) => readScore({ code, stdout, stderr: "why\n" });

test.each([
  ["0.5\n", { score: 0.5, reason: "" }],
  ['log\n{"score": 1, "reason": "fine"}\n', { score: 1, reason: "fine" }],
  ["1.5", { score: null }],
  ["-1", { score: null }],
  ["NaN", { score: null }],
  ["", { score: null }],
  ["good", { score: null }],
  ['{"score": "1"}', { score: null }],
])("%j is a score, or none (SCORE-TOOL-2)", (stdout, score) => {
  expect(printed(stdout)).toMatchObject(score);
});

test("a program that fails gives no score, whatever it printed", () => {
  expect(printed("1", 3)).toEqual({ score: null, reason: "exit code 3: why" });
});
