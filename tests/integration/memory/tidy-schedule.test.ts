// Memory is tidied by itself, at the interval of the configuration: once for each, whatever restarts.

import type { Json, Sys } from "@aos/protocol";
import { bootKernel, type KernelOptions } from "@aos/kernel";
import { describe, expect, test } from "vitest";
import { stores } from "../../helpers/stores.ts";

const fact = (text: string): Json => ({ kind: "fact", text, source: "agent", confidence: 0.8 });

const writer = async (sys: Sys): Promise<Json> => {
  await sys.write("/mem/semantic/facts/tea/a", fact("Tea is at noon."));
  await sys.write("/mem/semantic/facts/tea/b", fact("tea is at  noon."));
  return null;
};

const DAY_MS = 86_400_000;

describe.each(stores)("on $name", ({ newStore }) => {
  test("TIDY-SCHEDULE-1: each tenant is tidied when it is due, and not again after a restart", async () => {
    const store = await newStore();
    const boot = (tidying?: KernelOptions["tidying"]) =>
      bootKernel({
        store: store ?? "memory",
        programs: { writer },
        ...(tidying === undefined ? {} : { tidying }),
      });
    type Kernel = Awaited<ReturnType<typeof boot>>;
    const write = async (kernel: Kernel, tenant: string) => {
      const capabilities = ["memory:/mem/**:*"];
      await kernel.wait(await kernel.spawn({ agent: "writer", capabilities, tenant }));
    };
    const left = async (kernel: Kernel, tenant: string) =>
      (await kernel.memoryRows({ tenant })).rows.length;
    const tidied = async (kernel: Kernel) =>
      (await kernel.ledger()).filter(({ what }) => what === "memory.tidy");

    let kernel = await boot();
    await kernel.addTenant("acme", { allow: ["memory:/mem/**:*"] }, "dana");
    for (const tenant of ["default", "acme"]) await write(kernel, tenant);
    expect([await left(kernel, "default"), await left(kernel, "acme")]).toEqual([2, 2]);
    if (store === undefined) return kernel.close(); // in memory there is no restart
    await kernel.close();

    kernel = await boot({ everyMs: DAY_MS });
    await expect.poll(async () => (await tidied(kernel)).length, { timeout: 60_000 }).toBe(2);
    expect([await left(kernel, "default"), await left(kernel, "acme")]).toEqual([1, 1]);
    expect((await tidied(kernel)).map(({ by }) => by)).toEqual(["config.yaml", "config.yaml"]);
    await write(kernel, "default");
    await kernel.close();

    kernel = await boot({ everyMs: DAY_MS }); // not due
    await write(kernel, "acme");
    expect([await left(kernel, "default"), await left(kernel, "acme")]).toEqual([2, 2]);
    expect(await tidied(kernel)).toHaveLength(2);
    await kernel.close();

    kernel = await boot({ everyMs: 1 }); // due
    await expect.poll(() => left(kernel, "default"), { timeout: 60_000 }).toBe(1);
    expect(await kernel.verify()).toMatchObject({ ok: true });
    await kernel.close();
  });
});
