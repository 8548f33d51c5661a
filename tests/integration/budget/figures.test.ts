// Figures from outside: whatever a model server reports, no limit is raised by it and none is passed.

import type { ModelDriver } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";
import { ask } from "./priced-model.ts";

interface Said {
  readonly usd?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** Reports what it is told to; a request can cost 0.1 and 100 tokens. */
const reporter = ({ usd = 0.1, input = 40, output = 60 }: Said): ModelDriver =>
  ({
    provider: "priced",
    egress: false,
    worstCase: () => ({ usd: 0.1, tokens: 100 }),
    infer: async () => ({
      text: "done",
      toolCalls: [],
      finish: "stop",
      usage: { inputTokens: input, outputTokens: output },
      usd,
    }),
  }) as unknown as ModelDriver;

async function run(said: Said, budget: object, calls: number, capability = "model:*:infer") {
  const { kernel } = await bootForTest({
    models: [reporter(said)],
    programs: {
      asker: async (sys) => {
        const codes: string[] = [];
        for (let i = 0; i < calls; i++) codes.push(await codeOf(sys.infer(ask())));
        return codes;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "asker", capabilities: [capability], budget });
  const { output } = await kernel.wait(pid);
  const { costUsd } = await kernel.show(pid);
  return { kernel, pid, codes: output as string[], costUsd };
}

test("three calls of 0.1 fit into 0.3, and a fourth does not", async () => {
  const { codes, costUsd } = await run({}, { usd: 0.3 }, 4);

  expect(codes).toEqual(["ok", "ok", "ok", "EBUDGET"]);
  expect(costUsd).toBe(0.3);
});

test("three calls of 0.1 fit into a grant of 0.3, and a fourth does not", async () => {
  const { codes } = await run({}, {}, 4, "model:*:infer{usd:0.3}");

  expect(codes).toEqual(["ok", "ok", "ok", "EACCES"]);
});

const JUNK: readonly [string, unknown][] = [
  ["negative", -1000],
  ["NaN", NaN],
  ["minus infinity", -Infinity],
  ["a text", "-5"],
  ["nothing at all", undefined],
  ["an object", {}],
];

describe("a figure that is none is charged as the worst case", () => {
  test.each(JUNK)("money: %s", async (_what, usd) => {
    const { codes, costUsd, kernel } = await run({ usd: usd ?? {} }, { usd: 0.25 }, 4);

    expect(codes).toEqual(["ok", "ok", "EBUDGET", "EBUDGET"]);
    expect(costUsd).toBe(0.2);
    expect((await kernel.verify()).findings).toEqual([]);
  });

  test.each(JUNK)("tokens: %s", async (_what, input) => {
    const { codes } = await run({ input: input ?? null }, { tokens: 250 }, 4);

    expect(codes).toEqual(["ok", "ok", "EBUDGET", "EBUDGET"]);
  });
});

test("a fraction of a token is a token", async () => {
  const { kernel, pid } = await run({ input: 0.25, output: 0.5 }, { tokens: 1000 }, 1);

  expect((await kernel.cost({ pid })).total.tokens).toBe(2);
});

describe("what is reported beyond the reservation", () => {
  test.each([
    ["twice as much", { usd: 0.2, output: 160 }, { usd: 0.1, tokens: 100 }],
    ["more than there is in the world", { usd: 1e308, output: Infinity }, expect.anything()],
  ])("is owed: %s", async (_what, said, owed) => {
    const { kernel, pid, codes, costUsd } = await run(said, { usd: 0.3, tokens: 1e6 }, 4);

    expect([codes[0], codes.at(-1)]).toEqual(["ok", "EBUDGET"]);
    expect(costUsd).toBeLessThanOrEqual(0.3);
    const { total } = await kernel.cost({ pid });
    expect(total.usd).toBeLessThanOrEqual(0.3);
    expect(total.owed!.usd).toBeGreaterThan(0);
    const record = (await kernel.journal(pid)).find((one) => one.kind === "call")!;
    expect(record).toMatchObject({
      usd: 0.1,
      tokens: 100,
      over: owed,
      verdict: "it reported more than was reserved for it",
    });
    expect((await kernel.verify()).findings).toEqual([]);
  });

  test("leaves that much less of a grant", async () => {
    const { codes } = await run({ usd: 0.25 }, {}, 2, "model:*:infer{usd:0.3}");

    expect(codes).toEqual(["ok", "EACCES"]);
  });
});
