import { evalScorer } from "@aos/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EvalSpending, type RunShare } from "./spending.ts";

test("what is paid and set aside is never more than the budget (EVAL-SPENDING-1)", () => {
  const judge = evalScorer.parse({ type: "judge", model: "x/y", rubric: "r", maxUsd: 0.003 });
  const limit = fc.option(fc.integer({ min: 1, max: 50 }), { nil: null });
  const act = fc.record({ limit, part: fc.integer({ min: 0, max: 100 }), ends: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.array(act), (budget, acts) => {
      const spending = new EvalSpending(budget / 1000, [judge]);
      const running: { share: RunShare; part: number }[] = [];
      let paid = 0;
      for (const { limit: of, part, ends } of acts) {
        const share = spending.take(
          { limitUsd: of === null ? null : of / 1000 },
          running.length === 0,
        );
        if (typeof share !== "string") running.push({ share, part });
        const held = running.reduce((sum, one) => sum + one.share.held, 0);
        expect(paid + held).toBeLessThanOrEqual(budget * 1000);
        if (!ends || running.length === 0) continue;
        const ended = running.shift()!;
        const spent = Math.floor((ended.share.held * ended.part) / 100);
        spending.pay(ended.share, spent / 1e6);
        paid += spent;
      }
    }),
  );
});

test("a run that the budget does not cover waits for others, and is given up when it is alone", () => {
  const spending = new EvalSpending(0.03, []);
  const first = spending.take({ limitUsd: 0.02 }, true) as RunShare;

  expect(spending.take({ limitUsd: 0.02 }, false)).toBe("wait");
  spending.pay(first, 0.02);
  expect(spending.take({ limitUsd: 0.02 }, true)).toBe("none");
  expect(spending.take({ limitUsd: null }, true)).toMatchObject({ runUsd: 0.01, isRest: true });
});
