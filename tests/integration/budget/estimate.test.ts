// What something may cost is said before it is done; what it cost, afterwards, by each thing.

import { expect, test } from "vitest";
import { bootForTest, manifest, TOOLS } from "../../helpers/kernel.ts";
import { ask, pricedModel } from "./priced-model.ts";

const CAPABILITIES = ["model:*:infer", ...TOOLS];

const boot = () =>
  bootForTest({
    tenants: { acme: { ceiling: "none" } },
    models: [pricedModel({ usd: () => 0.005, ms: () => 0 })],
    programs: {
      worker: async (sys, input) => {
        for (let i = 0; i < (input as number); i++) await sys.infer(ask());
        await sys.exec("look", {});
        return "done";
      },
    },
  });

const worker = (more: object = {}) =>
  manifest("worker", { capabilities: CAPABILITIES, model: "priced/x", system: "be kind", ...more });

test("an estimate has the first request, what the last runs cost, and what cannot be exceeded", async () => {
  const { kernel } = await boot();
  const request = { manifest: worker({ budget: { usd: 1 } }), input: "hello" };

  expect(await kernel.estimateSpawn(request)).toMatchObject({
    of: "worker",
    contextTokens: 12,
    contextUsd: 0.012,
    runs: 0,
    usual: null,
    high: null,
    limit: { usd: 1, tokens: null },
  });
  for (const input of [1, 1, 4]) await kernel.wait(await kernel.spawn({ ...request, input }));

  const later = await kernel.estimateSpawn({ ...request, budget: { usd: 0.5, tokens: 9 } });
  expect(later).toMatchObject({
    runs: 3,
    usual: { usd: 0.005, tokens: 50, toolCalls: 1 },
    high: { usd: 0.02, tokens: 200, toolCalls: 1 },
    limit: { usd: 0.5, tokens: 9 },
  });
  expect((await kernel.list()).length).toBe(3); // nothing was started
});

test("an estimate says where no price is known, and where nothing limits it", async () => {
  const { kernel } = await boot();

  const { contextUsd, notes } = await kernel.estimateSpawn({
    manifest: worker({ model: "priced/unknown" }),
  });

  expect(contextUsd).toBeNull();
  expect(notes.join("; ")).toContain("the price of priced/unknown is unknown");
  expect(notes.join("; ")).toContain("no budget of its own");
});

test("a fork is estimated by the context at its record, and a replay costs nothing", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ manifest: worker(), input: 2 });
  await kernel.wait(pid);

  expect(await kernel.estimateFork(pid)).toMatchObject({ contextTokens: 20, contextUsd: 0.02 });
  expect(await kernel.estimateFork(pid, { at: 0 })).toMatchObject({ contextTokens: null });
  expect(await kernel.estimateReplay(pid)).toMatchObject({
    usual: { usd: 0, tokens: 0, toolCalls: 0 },
    limit: { usd: 0 },
  });
});

test("what was spent is told by each thing, and together it is the same", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ manifest: worker(), input: 2 });
  await kernel.wait(pid);
  await kernel.wait(await kernel.spawn({ manifest: worker(), input: 1, tenant: "acme" }));
  const keysBy = async (question: Parameters<typeof kernel.cost>[0]) =>
    (await kernel.cost(question)).rows.map(({ key, calls, tokens }) => [key, calls, tokens]);

  expect(await keysBy({ by: "agent" })).toEqual([["worker", 5, 150]]);
  expect(await keysBy({ by: "model" })).toEqual([["priced/x", 3, 150]]);
  expect(await keysBy({ by: "tool" })).toEqual([["look", 2, 0]]);
  expect(await keysBy({ by: "tenant" })).toEqual([
    ["default", 3, 100],
    ["acme", 2, 50],
  ]);
  expect(await keysBy({ by: "tree", pid })).toEqual([[pid, 3, 100]]);
  expect(await keysBy({ by: "agent", sinceMs: Date.now() + 3_600_000 })).toEqual([]);
  const { total, rule } = await kernel.cost({ by: "day" });
  expect(total).toMatchObject({ usd: 0.015, tokens: 150, toolCalls: 2, calls: 5 });
  expect(rule).toContain("UTC");
  await expect(kernel.cost({ tenant: "nobody" })).rejects.toMatchObject({ code: "ENOENT" });
});
