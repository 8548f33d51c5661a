// A request that does not say how long its answer may be is limited to what the budget covers.

import type { ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, manifest } from "../../helpers/kernel.ts";
import { ask } from "./priced-model.ts";

/** 15 dollars for a million tokens of output, 3 for one of input; an answer may have 64,000. */
function talker(): ModelDriver & { readonly asked: (number | undefined)[] } {
  const asked: (number | undefined)[] = [];
  return {
    provider: "priced",
    egress: false,
    asked,
    worstCase: ({ maxTokens = 64_000 }) => ({
      usd: (1000 * 3 + maxTokens * 15) / 1e6,
      tokens: 1000 + maxTokens,
    }),
    infer: async ({ maxTokens }) => {
      asked.push(maxTokens);
      return {
        text: "done",
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 10, outputTokens: 10 },
        usd: 0.001,
      };
    },
    measure: ({ model }) => ({
      tokens: 10,
      card: {
        model,
        window: 200_000,
        maxOutputTokens: 64_000,
        price: { input: 3, output: 15, date: "2027-01-01", source: "made up" },
      },
    }),
  };
}

async function run(
  budget: { usd?: number; tokens?: number },
  maxTokens?: number,
  capability = "model:*:infer",
) {
  const model = talker();
  const { kernel } = await bootForTest({
    models: [model],
    programs: {
      asker: async (sys) =>
        sys.infer({ ...ask(), ...(maxTokens === undefined ? {} : { maxTokens }) }).then(
          () => "ok",
          (error: { code: string; hint: string }) => `${error.code} ${error.hint}`,
        ),
    },
  });
  const pid = await kernel.spawn({ agent: "asker", capabilities: [capability], budget });
  const { output } = await kernel.wait(pid);
  const call = (await kernel.journal(pid)).find((one) => one.kind === "call");
  return { kernel, pid, output, call, asked: model.asked };
}

test("OUTPUT-LIMIT-1, OUTPUT-LIMIT-2: half a dollar is enough to ask, and the record says what for", async () => {
  const { output, call, asked, kernel, pid } = await run({ usd: 0.5 });

  expect(output).toBe("ok");
  expect(asked).toEqual([16_566]); // half of the 33,133 that fit
  expect(call).toMatchObject({ verdict: "maxTokens: 16566, what the budget covers" });
  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
});

test("OUTPUT-LIMIT-1: tokens and grants limit it too", async () => {
  expect((await run({ tokens: 6000 })).asked).toEqual([5000]);
  expect((await run({}, undefined, "model:*:infer{usd:0.1}")).asked).toEqual([6466]);
});

test("what fits is sent as it was asked", async () => {
  expect((await run({ usd: 2 })).asked).toEqual([undefined]);
  expect((await run({ usd: 0.5 }, 5000)).asked).toEqual([5000]);
});

test("OUTPUT-LIMIT-3: who says it itself is refused, and told what would fit", async () => {
  const { output, asked } = await run({ usd: 0.5 }, 60_000);

  expect(output).toContain(
    "EBUDGET ask for a shorter answer (maxTokens: 33133), or raise budget.usd",
  );
  expect(asked).toEqual([]);
});

test("OUTPUT-LIMIT-3: an answer that would be too short to be worth it is not asked for", async () => {
  expect((await run({ usd: 0.005 })).output).toContain(
    "EBUDGET ask for a shorter answer (maxTokens: 133), or",
  );
  expect((await run({ usd: 0.0001 })).output).toContain("EBUDGET raise budget.usd");
});

test("an estimate says what the first request would be", async () => {
  const { kernel } = await bootForTest({ models: [talker()] });
  const notesWith = async (usd: number) => {
    const written = manifest("worker", { model: "priced/x", budget: { usd } });
    return (await kernel.estimateSpawn({ manifest: written, input: "hi" })).notes.join("\n");
  };

  expect(await notesWith(0.5)).toContain("its budget limits the first answer to 16566 tokens");
  expect(await notesWith(0.0001)).toContain("the first request would be refused");
  expect(await notesWith(2)).not.toContain("first answer");
});
