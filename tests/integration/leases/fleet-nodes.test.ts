// Two kernels on one PostgreSQL: an item is begun once, one node looks after a fleet, and the other takes it over.

import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

const by = "tester";
const work: Program = async (sys, input) => {
  await sys.sleep((await sys.now()) + 5);
  return input;
};
const fleet = {
  apiVersion: "aos/v1",
  kind: "Fleet",
  name: "workers",
  agent: "work",
  replicas: 4,
  restart: { attempts: 5 },
};

async function boot(url: string, node: string, more: KernelOptions = {}) {
  const programs = { work };
  const kernel = await bootKernel({ store: { url }, node, programs, scheduleLookMs: 20, ...more });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await kernel.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { kernel, close };
}

const newUrl = async (): Promise<string> => {
  if ("missing" in server) throw new Error(server.missing);
  return (await server.createDatabase()).url;
};

const doneIn = async (kernel: Kernel) => (await kernel.fleet("workers")).done;

describe.skipIf("missing" in server)("a fleet of two nodes on PostgreSQL", () => {
  test("takes items that are sent to either, each once", async () => {
    const url = await newUrl();
    const [a, b] = [await boot(url, "a"), await boot(url, "b")];
    await a.kernel.applyFleet({ fleet, by });

    for (let nth = 0; nth < 20; nth++) {
      const to = nth % 2 === 0 ? a.kernel : b.kernel;
      await to.sendFleetItem("workers", { input: nth, key: `i${nth}`, by });
    }
    await until(async () => (await doneIn(b.kernel)) === 20);

    const items = await b.kernel.fleetItems("workers");
    expect(items.map(({ attempt }) => attempt)).toEqual(items.map(() => 1));
    expect(await b.kernel.list({ limit: 100 })).toHaveLength(20);
  });

  test("is changed on either, and the one that looks after it follows", async () => {
    const url = await newUrl();
    const [a, b] = [await boot(url, "a"), await boot(url, "b")];
    await a.kernel.applyFleet({ fleet, by });
    await b.kernel.pauseFleet("workers", { by });
    await a.kernel.sendFleetItem("workers", { input: 1, key: "one", by });
    expect(await a.kernel.fleet("workers")).toMatchObject({ state: "paused", waiting: 1 });

    await b.kernel.scaleFleet("workers", { min: 2, max: 2, by });
    await b.kernel.resumeFleet("workers", { by });
    await until(async () => (await doneIn(a.kernel)) === 1);

    expect(await a.kernel.fleet("workers")).toMatchObject({ replicas: 2, max: 2 });
  });

  test("goes on with the other when the one that looked after it is gone", async () => {
    const url = await newUrl();
    const leaseMs = 6000;
    const [a, b] = [await boot(url, "a", { leaseMs }), await boot(url, "b", { leaseMs })];
    await a.kernel.applyFleet({ fleet, by });
    await a.close();

    for (let nth = 0; nth < 5; nth++)
      await b.kernel.sendFleetItem("workers", { input: nth, key: `i${nth}`, by });
    await until(async () => (await doneIn(b.kernel)) === 5);

    const items = await b.kernel.fleetItems("workers");
    expect(items.map(({ attempt, crashes }) => [attempt, crashes])).toEqual(
      items.map(() => [1, 0]),
    );
  });
});
