// A call whose price nobody knows, and grants that limit money.

import { expect, test } from "vitest";
import { judge, permit } from "./judge.ts";
import {
  inferOf,
  testJudgeRules,
  TEST_NOW,
  processOf,
  thrownBy,
} from "../../../tests/helpers/kernel/process.ts";

const unpriced = (capability: string) => {
  const process = processOf({ capabilities: [capability] });
  const worst = { microUsd: 0, tokens: 5, toolCalls: 0, unpriced: true } as const;
  return { process, action: { ...inferOf(process), worst } };
};

test("a grant that limits money refuses it, and says what is missing", () => {
  const { process, action } = unpriced("model:*:infer{usd:1}");

  expect(thrownBy(() => judge(process, action, testJudgeRules(), TEST_NOW))).toMatchObject({
    code: "EBUDGET",
    message: "the price of far/x is unknown",
    hint: expect.stringContaining("`models:` in config.yaml"),
  });
});

test("a grant that limits something else does not", () => {
  const { process, action } = unpriced("model:*:infer{max:1}");

  expect(permit(process, action, testJudgeRules(), TEST_NOW, false).hold?.worst).toMatchObject({
    tokens: 5,
  });
});

test("one that is missing altogether is refused as ever", () => {
  const { process, action } = unpriced("tool:*:call");

  expect(thrownBy(() => judge(process, action, testJudgeRules(), TEST_NOW))).toMatchObject({
    code: "EACCES",
  });
});
