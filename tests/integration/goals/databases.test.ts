// Goals on both databases: planned, failed at a step, gone on with by another kernel on the same database.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel } from "@aos/kernel";
import type { GoalOutcome, Json, ProcessId, Sys, Tool } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { stores } from "../../helpers/stores.ts";
import { until } from "../../helpers/kernel.ts";
import { goalManifest, goalPrograms, planOf, plannerModel } from "./goal-rig.ts";

/** Pays, and then waits for a word. */
const pays = async (sys: Sys, input: Json) => {
  const { step } = input as { step: string };
  await sys.exec("pay", { step });
  await sys.receive();
  return `paid ${step}`;
};

describe.each(stores)("a goal on $name", ({ newStore }) => {
  test("goes on where another kernel left it, and ends with every step done once (PLAN-2)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aos-goals-"));
    const store = (await newStore()) ?? { file: join(folder, "aos.db") };
    const paid: string[] = [];
    const { driver, asked } = plannerModel([
      planOf([
        { id: "a", role: "pays" },
        { id: "b", role: "pays", depends_on: ["a"] },
        { id: "all", role: "sees", depends_on: ["a", "b"] },
      ]),
    ]);
    const boot = () =>
      bootKernel({
        store,
        programs: { ...goalPrograms, pays } as never,
        models: [driver],
        tools: [payInto(paid)],
      });
    const roles = [
      { name: "pays", program: "pays", capabilities: ["tool:pay:call"] },
      { name: "sees", program: "sees" },
    ];
    let kernel = await boot();
    const pid = await kernel.spawn({
      manifest: goalManifest({ roles }),
      input: "pay a and then b",
    });

    for (const step of ["a", "b"]) {
      await until(async () => (await waiting(kernel, pid)) && paid.includes(step), step);
      await kernel.close();
      kernel = await boot();
      await until(async () => await waiting(kernel, pid), `${step} again`);
      const children = await kernel.list({ parent: pid });
      await kernel.send(children.find(({ waitingOn }) => waitingOn === "message")!.pid, "go on");
    }

    const { state, output } = await kernel.wait(pid);
    expect(state).toBe("completed");
    expect((output as unknown as GoalOutcome).result).toEqual({ a: "paid a", b: "paid b" });
    expect(paid).toEqual(["a", "b"]);
    expect(asked).toHaveLength(1);
    expect(await kernel.replay(pid)).toMatchObject({ identical: true });
    expect(await kernel.verify()).toMatchObject({ ok: true });
    await kernel.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
});

const waiting = async (kernel: Kernel, parent: ProcessId): Promise<boolean> =>
  (await kernel.list({ parent })).some(({ waitingOn }) => waitingOn === "message");

const payInto = (paid: string[]): Tool => ({
  name: "pay",
  effect: "external",
  version: "1",
  description: "pays",
  input: {},
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async (args) => {
    paid.push((args as { step: string }).step);
    return "done";
  },
});
