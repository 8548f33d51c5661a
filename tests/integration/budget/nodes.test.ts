// Budgets on a store that many nodes share: they are counted by one node, which is then the only one.

import { bootKernel, type KernelOptions } from "@aos/kernel";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { manifest } from "../../helpers/kernel.ts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if (!("missing" in server)) await server.stop();
});

const budgets = [{ scope: "total", per: "day", usd: 1 }] as const;

describe.skipIf("missing" in server)("on one PostgreSQL", () => {
  const cluster = async () => {
    const { url } = await (server as Exclude<typeof server, { missing: string }>).createDatabase();
    return async (more: Partial<KernelOptions> = {}) => {
      const programs = { worker: async () => "done" };
      const kernel = await bootKernel({ store: { url }, programs: programs as never, ...more });
      onTestFinished(() => kernel.close());
      return kernel;
    };
  };

  test("a node with budgets does not boot beside another, and none beside it", async () => {
    const boot = await cluster();
    const plain = await boot({ node: "a" });
    await expect(boot({ node: "b", budgets })).rejects.toMatchObject({
      code: "ESTATE",
      message: "budgets need a single node, but the node a is running too",
    });
    await plain.close();

    await boot({ node: "d", budgets }); // b has left no sign of itself
    await expect(boot({ node: "c" })).rejects.toMatchObject({
      code: "ESTATE",
      message: "the node d enforces budgets and must be the only node",
    });
  });

  test("an agent whose manifest has a day is started by a node that is alone, which then stays so", async () => {
    const boot = await cluster();
    const first = await boot({ node: "a" });
    const other = await boot({ node: "b" });
    const wish = { manifest: manifest("worker", { budget: { day: { usd: 1 } } }) };
    await expect(first.spawn(wish)).rejects.toMatchObject({ code: "ESTATE" });
    await other.close();

    expect((await first.wait(await first.spawn(wish))).output).toBe("done");
    await expect(boot({ node: "c" })).rejects.toMatchObject({ code: "ESTATE" });
  });
});
