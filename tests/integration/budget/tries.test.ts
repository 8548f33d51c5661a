// Tries of one request: each that was sent may have cost something, and must be covered.

import { SysError, type ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { ask } from "./priced-model.ts";

/** Fails so often, each time for money; what it says of the cost is its own word. */
function flaky(failures: number): ModelDriver & { readonly tries: () => number } {
  let tries = 0;
  return {
    provider: "priced",
    egress: false,
    worstCase: ({ model }) => ({ usd: model === "priced/dear" ? 0.05 : 0.01, tokens: 100 }),
    infer: async ({ model }) => {
      tries += 1;
      if (model === "priced/x" && tries <= failures)
        throw new SysError("EUPSTREAM", "cut off", {
          detail: { transient: true, spent: { usd: 0.004, tokens: 10 } },
        });
      return {
        text: "done",
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 20, outputTokens: 30 },
        usd: 0.005,
      };
    },
    tries: () => tries,
  };
}

async function run(model: ReturnType<typeof flaky>, budget: { usd: number }, rule: object) {
  const { kernel } = await bootForTest({
    models: [model],
    slots: () => ({ providers: {}, models: { "priced/x": rule }, tenants: {} }),
    programs: { asker: async (sys) => codeOf(sys.infer(ask())) },
  });
  const pid = await kernel.spawn({ agent: "asker", capabilities: ["model:*:infer"], budget });
  const { output } = await kernel.wait(pid);
  return { output, total: (await kernel.cost({ pid })).total };
}

test("what failed before it went well is paid for", async () => {
  const { output, total } = await run(flaky(1), { usd: 1 }, { retries: 2 });

  expect(output).toBe("ok");
  expect(total.usd).toBeCloseTo(0.009, 9);
  expect(total).toMatchObject({ tokens: 60, calls: 1 });
});

test("what failed to the end is paid for", async () => {
  const { output, total } = await run(flaky(9), { usd: 1 }, { retries: 1 });

  expect(output).toBe("EUPSTREAM");
  expect(total.usd).toBeCloseTo(0.008, 9);
});

test("a try that the budget does not cover any more is not made", async () => {
  const model = flaky(9);
  const { output, total } = await run(model, { usd: 0.012 }, { retries: 3 });

  expect([output, model.tries()]).toEqual(["EBUDGET", 1]);
  expect(total.usd).toBeCloseTo(0.004, 9);
});

test("a model to fall back on that the budget does not cover is not used", async () => {
  const model = flaky(9);
  const rule = { retries: 0, fallback: ["priced/dear"] };

  expect((await run(model, { usd: 0.03 }, rule)).output).not.toBe("ok");
  expect(model.tries()).toBe(1);
  expect((await run(flaky(9), { usd: 0.06 }, rule)).output).toBe("ok");
});

test.each([
  [
    "both are covered, and the one that is stopped counts for all that it could cost",
    0.03,
    2,
    0.015,
  ],
  ["a second one that is not covered is not sent", 0.015, 1, 0.005],
])("of two tries at once %s", async (_what, usd, tries, spent) => {
  let sent = 0;
  const model: ModelDriver = {
    ...flaky(0),
    infer: async (request, context) => {
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, sent === 1 ? 200 : 10_000));
      return flaky(0).infer(request, context);
    },
  };
  const { output, total } = await run(
    { ...model, tries: () => sent },
    { usd },
    { hedgeAfterMs: 20 },
  );

  expect([output, sent]).toEqual(["ok", tries]);
  expect(total.usd).toBeCloseTo(spent, 9);
});
