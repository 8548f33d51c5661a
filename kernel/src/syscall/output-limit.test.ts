import type { ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { limitedOutput, outputThatFits, withinBudget } from "./output-limit.ts";
import { worstOf } from "./action.ts";
import { grantTo, inferOf, processOf, TEST_NOW } from "../../../tests/helpers/kernel/process.ts";

/** Ten micro-dollars a token; a question costs a hundred tokens. Without a limit an answer has 100,000. */
const model = {
  worstCase: ({ maxTokens = 100_000 }: { maxTokens?: number }) => ({
    usd: (100 + maxTokens) / 100_000,
    tokens: 100 + maxTokens,
  }),
} as unknown as ModelDriver;
const request = { model: "m", messages: [] };
const room = (microUsd: number, tokens = Infinity) => ({ microUsd, tokens });
const worst = worstOf(model, request);
const limited = (of: ReturnType<typeof room>, more: object = {}) =>
  limitedOutput(model, { ...request, ...more }, worst, of);

test("the longest answer that fits is found to the token, by money and by tokens", () => {
  const fits = (of: ReturnType<typeof room>) => outputThatFits(model, request, worst, of);

  expect(fits(room(11_000))).toBe(1000);
  expect(fits(room(10_999))).toBe(999);
  expect(fits(room(Infinity, 1100))).toBe(1000);
  expect(fits(room(11_000, 600))).toBe(500);
  expect(fits(room(1010))).toBe(1);
  expect(fits(room(1009))).toBe(0);
  expect(fits(room(Infinity, 100))).toBe(0);
});

test("OUTPUT-LIMIT-1: what fits whole is not limited, up to the last of it", () => {
  expect(limited(room(1_001_000, 100_100))).toEqual({ worst });
  expect(limited(room(1_000_999))).toHaveProperty("maxTokens");
  expect(limited(room(Infinity, 100_099))).toHaveProperty("maxTokens");
});

test("OUTPUT-LIMIT-2: of much it takes half, of little a modest part, and its worst case is that", () => {
  const half = limited(room(901_000));
  expect(half).toEqual({
    maxTokens: 45_000,
    worst: worstOf(model, { ...request, maxTokens: 45_000 }),
  });
  expect(limited(room(101_000)).maxTokens).toBe(8192);
  expect(limited(room(51_000)).maxTokens).toBe(5000);
});

test("OUTPUT-LIMIT-3: who says it itself, or would have too little, is told what would fit", () => {
  expect(limited(room(51_000), { maxTokens: 9000 })).toEqual({ worst, fitting: 5000 });
  expect(limited(room(1000 + 2550))).toEqual({ worst, fitting: 255 });
  expect(limited(room(1000 + 2560)).maxTokens).toBe(256);
});

test("a model without a price is not limited by money, but by tokens", () => {
  const unpriced = { ...worst, microUsd: 0, unpriced: true } as const;
  const of = (left: ReturnType<typeof room>) => limitedOutput(model, request, unpriced, left);

  expect(of(room(5, 10_100))).toEqual({ worst: unpriced });
  expect(of(room(Infinity, 10_100)).maxTokens).toBe(8192);
});

/** A request to `far/x`, whose answer may cost a cent for 100 tokens. */
function within(options: Parameters<typeof processOf>[0], by?: string) {
  const process = processOf(options);
  grantTo(process, "second", ["model:far/*:infer{usd:0.02}"]);
  const action = inferOf(process);
  const asked = {
    ...action,
    args: { ...(action.args as object), ...(by === undefined ? {} : { by }) },
  };
  return {
    asked: asked as typeof action,
    is: withinBudget(asked as typeof action, process, TEST_NOW),
  };
}

test("a request is the same where nothing limits it, or where it fits", () => {
  const free = within({ capabilities: ["model:*:infer"] });
  expect(free.is).toBe(free.asked);
  const fits = within({ capabilities: ["model:*:infer"], budget: { usd: 1, tokens: 1000 } });
  expect(fits.is).toBe(fits.asked);
  const tool = processOf({});
  const read = { ...inferOf(tool), model: undefined };
  expect(withinBudget(read, tool, TEST_NOW)).toBe(read);
});

test("a budget of tokens, or of money, limits it", () => {
  expect(within({ capabilities: ["model:*:infer"], budget: { tokens: 50 } }).is.fitting).toBe(0);
  expect(within({ capabilities: ["model:*:infer"], budget: { usd: 0.001 } }).is.fitting).toBe(0);
});

test("of its grants the one with most left counts, or the one that it names", () => {
  const poor = { capabilities: ["model:far/*:infer{usd:0.001}"] };

  expect(within(poor).is.fitting).toBeUndefined();
  expect(within(poor, "second").is.fitting).toBeUndefined();
  const born = [...processOf(poor).holdings][0]!.handle;
  expect(within(poor, born).is.fitting).toBe(0);
});

test("a grant that is used up leaves nothing", () => {
  const process = processOf({ capabilities: ["model:far/*:infer{usd:0.001}"] });
  const [grant] = [...process.holdings][0]!.block.held;

  for (const [spent, left] of [
    [1000, 0],
    [999, 0],
  ] as const) {
    grant!.usage.microUsd = spent;
    expect(withinBudget(inferOf(process), process, TEST_NOW).fitting, `${spent}`).toBe(left);
  }
});

test("grants for other models, and chains without any, do not count", () => {
  expect(within({ capabilities: [] }).is.fitting).toBeUndefined();
  expect(within({ capabilities: ["model:near/*:infer{usd:0.001}"] }).is.fitting).toBeUndefined();
});
