// Memory is consolidated by changes that are recorded and can be taken back.

import { expect, describe, test } from "vitest";
import type { Json, Sys } from "@aos/protocol";
import { bootKernel, type Kernel } from "@aos/kernel";
import { stores } from "../../helpers/stores.ts";

interface Rows {
  readonly [path: string]: Json;
}

const fact = (text: string, more: object = {}): Json => ({
  kind: "fact",
  text,
  source: "agent",
  confidence: 0.8,
  ...more,
});

const episode = (goal: string, result: string): Json => ({
  kind: "episode",
  goal,
  action: "deploy",
  result,
  outcome: "bad",
});

const FACTS = "/mem/semantic/facts";
const ROWS: Rows = {
  [`${FACTS}/port/a`]: fact("The gateway has port 80.", { subject: "port" }),
  [`${FACTS}/port/b`]: fact("The gateway has port 81.", { subject: "port", replaces: "port/a" }),
  [`${FACTS}/general/c`]: fact("the  gateway has port 81."),
  [`${FACTS}/tea/d`]: fact("Tea is at noon.", { subject: "tea" }),
  "/mem/episodic/tasks/1": episode("Deploy the shop", "full"),
  "/mem/episodic/tasks/2": episode("deploy  the shop", "full"),
  "/mem/episodic/tasks/3": episode("Deploy the shop", "slow"),
  "/mem/episodic/tasks/4": episode("Deploy the blog", "full"),
};

const writer = async (sys: Sys, input: Json): Promise<Json> => {
  for (const [path, data] of Object.entries(input as unknown as Rows)) await sys.write(path, data);
  const found = await sys.search("/mem/episodic", "deploy the shop");
  return found.map(({ path }) => path);
};

const run = async (kernel: Kernel, input: Rows = {}, more: object = {}) => {
  const capabilities = ["memory:/mem/**:*"];
  const pid = await kernel.spawn({ agent: "writer", input: input as Json, capabilities, ...more });
  return (await kernel.wait(pid)).output as string[];
};

const rowsOf = async (kernel: Kernel, tenant?: string) =>
  (await kernel.memoryRows(tenant === undefined ? {} : { tenant })).rows;
const namesOf = async (kernel: Kernel) =>
  (await rowsOf(kernel)).map(({ path }) => path.replace("/mem/agents/writer", ""));

const by = "dana";
/** Everything is old a moment after it was written. */
const SOON = { olderThanMs: 1, by };

describe.each(stores)("tidying on $name", ({ newStore }) => {
  test("merges, retires and summarizes; and takes back to the last byte", async () => {
    const kernel = await bootKernel({
      store: (await newStore()) ?? "memory",
      programs: { writer },
    });
    await run(kernel, ROWS);
    const before = await rowsOf(kernel);
    await expect
      .poll(async () => (await kernel.tidyMemory({ ...SOON, dryRun: true })).kinds)
      .toEqual({ replaced: 1, duplicate: 1, summary: 3, age: 0, size: 0 });
    expect(await rowsOf(kernel)).toEqual(before);

    const { id, ...report } = await kernel.tidyMemory(SOON);

    expect(report).toMatchObject({ removed: 5, written: 1 });
    expect(await namesOf(kernel)).toEqual([
      "/episodic/tasks/3-and-2-before",
      "/episodic/tasks/4",
      "/semantic/facts/port/b",
      "/semantic/facts/tea/d",
    ]);
    expect((await rowsOf(kernel))[0]!.data).toMatchObject({
      result: "slow",
      reflection: expect.stringContaining("3 times"),
    });
    expect(await run(kernel)).toContain("/mem/episodic/tasks/3-and-2-before");
    expect((await kernel.ledger()).at(-1)).toMatchObject({ what: "memory.tidy", by });
    expect(await kernel.verify()).toMatchObject({ ok: true });

    expect(await kernel.untidyMemory({ id: id!, by })).toEqual({ id, restored: 5, kept: [] });
    expect(await rowsOf(kernel)).toEqual(before);
    expect(await run(kernel)).toContain("/mem/episodic/tasks/1");
    expect(await kernel.verify()).toMatchObject({ ok: true });
    await expect(kernel.untidyMemory({ id: id!, by })).rejects.toMatchObject({ code: "ENOENT" });
    await kernel.close();
  });

  test("limits by number and age; what was written since stays when it is taken back", async () => {
    const kernel = await bootKernel({
      store: (await newStore()) ?? "memory",
      programs: { writer },
    });
    await run(kernel, ROWS);

    await expect
      .poll(async () => (await kernel.tidyMemory({ by, maxAgeMs: 1, dryRun: true })).kinds)
      .toMatchObject({ age: 7 });
    expect(await kernel.tidyMemory({ by, maxRows: 3, dryRun: true })).toMatchObject({
      kinds: { duplicate: 1, size: 4 },
    });
    const size = await kernel.tidyMemory({ by, maxRows: 0 });
    expect(await namesOf(kernel)).toEqual([]);
    await run(kernel, { [`${FACTS}/tea/d`]: fact("Tea is at four.", { subject: "tea" }) });

    const taken = await kernel.untidyMemory({ id: size.id!, by });

    const path = "/mem/agents/writer/semantic/facts/tea/d";
    expect(taken).toMatchObject({ restored: 7, kept: [path] });
    const tea = (await rowsOf(kernel)).find((row) => row.path === path)!;
    expect(tea.data).toMatchObject({ text: "Tea is at four." });
    await kernel.close();
  });
});

test("FACT-RELATIONS-1: an untrusted copy of a trusted fact goes, and never the other way round", async () => {
  const kernel = await bootKernel({ programs: { writer } });
  const red = { integrity: "untrusted", secrecy: "public" };
  await run(
    kernel,
    { [`${FACTS}/general/a`]: fact("Pay CH93.", { subject: "s" }) },
    { label: red },
  );
  await run(kernel, { [`${FACTS}/general/b`]: fact("Pay CH93.") });

  await kernel.tidyMemory({ by });

  expect((await rowsOf(kernel)).map(({ path, label }) => [path.at(-1), label])).toEqual([
    ["b", "trusted/public"],
  ]);
  await kernel.close();
});

test("CONSOLIDATION-1: a fact that was said again after it was replaced stays", async () => {
  const kernel = await bootKernel({ programs: { writer } });
  await run(kernel, {
    [`${FACTS}/port/a`]: fact("It is 80.", { subject: "port", confidence: 1 }),
    [`${FACTS}/port/b`]: fact("It is 81.", { subject: "port", replaces: "port/a" }),
  });
  await run(kernel, { [`${FACTS}/general/c`]: fact("It is 80.") });

  expect((await kernel.tidyMemory({ by })).kinds).toMatchObject({ duplicate: 0 });

  expect(await namesOf(kernel)).toContain("/semantic/facts/general/c");
  await kernel.close();
});

test("TIDY-4: no agent reads what was tidied, of another tenant nobody, and to forget reaches it", async () => {
  const kernel = await bootKernel({ programs: { writer } });
  await kernel.addTenant("acme", {}, by);
  await run(kernel, ROWS);
  const { id } = await kernel.tidyMemory({ ...SOON, maxRows: 1 });

  await expect(kernel.untidyMemory({ id: id!, tenant: "acme", by })).rejects.toMatchObject({
    code: "ENOENT",
  });
  expect((await kernel.tidyMemory({ by, maxRows: 1, tenant: "acme" })).removed).toBe(0);
  const { paths } = await kernel.forgetMemory({ about: "Deploy the shop", by });
  expect(paths).toContain(`/tidied/${id}`);
  await kernel.close();
});
