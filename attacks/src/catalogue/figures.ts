// N: reported usage and prices. A model server reports false figures to escape a budget.

import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const ACTION = "kernel/src/syscall/action.ts";
const OVERRUN = "kernel/src/budget/cover.ts";
const INFER = "kernel/src/handlers/infer.ts";
const MONEY = "protocol/src/money.ts";
const CALLS = 6;
const REQUEST = { model: "range/any", messages: [{ role: "user" as const, content: "?" }] };

/** Makes more requests than the budget covers. */
async function ask(range: Range, budget: { usd?: number; tokens?: number }) {
  const { pid } = await range.run(
    async (sys) => {
      for (let i = 0; i < CALLS; i++) await codeOf(sys.infer(REQUEST));
    },
    { capabilities: ["model:range/*:infer"], budget },
  );
  return range.kernel.show(pid);
}

/** A budget for two requests. */
async function twice(range: Range): Promise<AttackOutcome> {
  const { costUsd } = await ask(range, { usd: 0.5 });
  const { asked } = range.model;
  const isOver = asked > 2 || !(costUsd <= 0.5) || costUsd < 0;
  return tried(isOver, `asked ${asked} times for ${costUsd} of 0.5`);
}

export const figures: readonly AttackRow[] = [
  {
    id: "N1",
    name: "report a negative price, so that the budget grows",
    stoppedBy: OVERRUN,
    run: (range) => {
      range.model.reports = { usd: -250, inputTokens: 40, outputTokens: 60 };
      return twice(range);
    },
  },
  {
    id: "N2",
    name: "report negative usage, so that the token budget grows",
    stoppedBy: INFER,
    run: async (range) => {
      range.model.reports = { usd: 0, inputTokens: -1e6, outputTokens: 0 };
      await ask(range, { tokens: 200 });
      return tried(range.model.asked > 2, `asked ${range.model.asked} times for 200 tokens`);
    },
  },
  {
    id: "N3",
    name: "report more than was reserved",
    stoppedBy: OVERRUN,
    run: (range) => {
      range.model.reports = { usd: 400, inputTokens: 40, outputTokens: 60 };
      return twice(range);
    },
  },
  {
    id: "N4",
    name: "report a price that is no number",
    stoppedBy: INFER,
    run: (range) => {
      range.model.reports = { usd: NaN, inputTokens: 40, outputTokens: 60 };
      return twice(range);
    },
  },
  {
    id: "N5",
    name: "report fractions of tokens",
    stoppedBy: INFER,
    run: async (range) => {
      range.model.reports = { usd: 0, inputTokens: 0.001, outputTokens: 0 };
      const { pid } = await ask(range, { tokens: 1000 });
      const { tokens } = (await range.kernel.cost({ pid })).total;
      return tried(tokens < range.model.asked, `${range.model.asked} answers of ${tokens} tokens`);
    },
  },
  {
    id: "N6",
    name: "configure a negative price",
    stoppedBy: ACTION,
    run: (range) => {
      range.model.worst = { usd: -1000, tokens: 100 };
      return twice(range);
    },
  },
  {
    id: "N7",
    name: "configure a price so high that sums overflow",
    stoppedBy: MONEY,
    run: async (range) => {
      range.model.worst = { usd: 1e18, tokens: 100 };
      range.model.reports = { usd: 1e18, inputTokens: 40, outputTokens: 60 };
      const { costUsd } = await ask(range, {});
      const isNumber = Number.isFinite(costUsd) && costUsd < 1e15;
      return tried(!isNumber, `asked ${range.model.asked} times for ${costUsd}`);
    },
  },
];
