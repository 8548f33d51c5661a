// A fork bomb: an agent whose every turn spawns two more, each of which does the same.

import { bootKernel, type KernelOptions } from "@aos/kernel";
import { liveStates, type Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { codeOf, until } from "../../helpers/kernel.ts";
import { ask, pricedModel } from "./priced-model.ts";

const POWER = ["model:*:infer", "agent:*:spawn"];

/** It goes on until money is refused. `onSpawn` is told what came of each spawn. */
const bomb =
  (onSpawn: (code: string) => void) =>
  async (sys: Sys): Promise<string> => {
    for (;;) {
      const code = await codeOf(sys.infer(ask()));
      if (code !== "ok") return code;
      for (let i = 0; i < 2; i++)
        onSpawn(await codeOf(sys.spawn("bomb", null, { capabilities: POWER })));
    }
  };

/** Runs so many bombs to their ends; what was really spent is looked at after every answer. */
async function explode(
  { trees, limit }: { trees: { budget?: { usd: number }; tenant?: string }[]; limit: number },
  options: Partial<KernelOptions> = {},
) {
  const over: number[] = [];
  const spawns: Record<string, number> = {};
  const model = pricedModel({
    ms: () => 1 + Math.random() * 20,
    onSpent: (spent) => {
      if (spent > limit) over.push(spent);
    },
  });
  const kernel = await bootKernel({
    tenants: { acme: { ceiling: "none" } },
    models: [model],
    programs: {
      bomb: bomb((code) => (spawns[code] = (spawns[code] ?? 0) + 1)) as never,
    },
    limits: { treeProcesses: 200, spawnDepth: 30 },
    ...options,
  });
  const pids = await Promise.all(
    trees.map((tree) => kernel.spawn({ agent: "bomb", capabilities: POWER, ...tree })),
  );
  const endings = await Promise.all(pids.map((pid) => kernel.wait(pid)));
  const living = async () => (await kernel.list({ states: [...liveStates] })).length;
  await until(async () => (await living()) === 0, "the end of those below");
  const report = await kernel.cost();
  const { findings } = await kernel.verify();
  await kernel.close();
  return { model, over, spawns, endings, report, findings };
}

test("is stopped by the budget of its tree; what is settled never exceeds it, with 200 at once", async () => {
  const { model, over, spawns, endings, report, findings } = await explode({
    trees: [{ budget: { usd: 4 } }],
    limit: 4,
  });

  expect(endings.map(({ output }) => output)).toEqual(["EBUDGET"]);
  expect(over).toEqual([]);
  expect(spawns["EAGAIN"]).toBeGreaterThan(0); // 200 were alive
  expect(model.spent()).toBeGreaterThan(3);
  expect(report.total.usd).toBeLessThanOrEqual(4 + 1e-9); // with what was killed at work
  expect(report.total.usd).toBeGreaterThanOrEqual(model.spent() - 1e-9);
  expect(findings).toEqual([]);
});

test.each([
  ["tenant", [{ scope: "tenant", name: "acme", per: "day", usd: 3 }]],
  ["total", [{ scope: "total", per: "month", usd: 3 }]],
  ["agent", [{ scope: "agent", name: "bomb", per: "hour", usd: 3 }]],
] as const)("several are stopped together by the budget of their %s", async (_scope, budgets) => {
  const { over, endings, report, findings } = await explode(
    { trees: Array.from({ length: 5 }, () => ({ tenant: "acme" })), limit: 3 },
    { budgets: budgets as unknown as NonNullable<KernelOptions["budgets"]> },
  );

  expect(endings.map(({ output }) => output)).toEqual(Array(5).fill("EBUDGET"));
  expect(over).toEqual([]);
  expect(report.total.usd).toBeLessThanOrEqual(3 + 1e-9);
  expect(report.total.usd).toBeGreaterThan(2.5);
  expect(findings).toEqual([]);
});

test("without any budget it is held by the limits of its tree", async () => {
  let most = 0;
  const model = pricedModel({ ms: () => 1 });
  const kernel = await bootKernel({
    models: [model],
    programs: {
      bomb: (async (sys: Sys) => {
        await codeOf(sys.infer(ask()));
        const codes: string[] = [];
        for (let i = 0; i < 2; i++)
          codes.push(await codeOf(sys.spawn("bomb", null, { capabilities: POWER })));
        await sys.receive();
        return codes;
      }) as never,
    },
    limits: { treeProcesses: 20, spawnDepth: 30 },
  });
  const pid = await kernel.spawn({ agent: "bomb", capabilities: POWER });

  for (let quiet = 0; quiet < 20;) {
    const { length } = await kernel.list();
    quiet = length > most ? 0 : quiet + 1;
    most = Math.max(most, length);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }

  expect(most).toBe(20);
  await kernel.signal(pid, "SIGKILL");
  await kernel.close();
});
