// Spend: what was spent, by the hour, and that it is what the chains say.

import { expect, test } from "vitest";
import { type SpendRow, undos } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension } from "./rows.ts";

const HOUR = 3_600_000;

const spent = (more: Partial<SpendRow> = {}): SpendRow => ({
  tenant: 1,
  hour: 10 * HOUR,
  agent: "writer",
  root: 1,
  what: "model:far/x",
  microUsd: 250_000,
  tokens: 10,
  toolCalls: 0,
  calls: 1,
  unpriced: 0,
  overMicroUsd: 0,
  overTokens: 0,
  ...more,
});

/** What process 1 adds to these rows, without a record. */
const adds = (...spend: SpendRow[]) => extension(1, 0, [], { spend });

export function spendSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const keysBy = async (query: Parameters<typeof here.store.spend>[0]) =>
    (await here.store.spend(query)).map(({ key, microUsd, calls }) => [key, microUsd / 1e6, calls]);

  test("what is added to the same row adds up, over commits and within one", async () => {
    await here.store.commit([adds(spent()), adds(spent({ unpriced: 1 }))], [born(1)]);
    await here.store.commit([adds(spent({ toolCalls: 2, tokens: 5 }))], []);

    expect(await here.store.spend({ by: "all" })).toMatchObject([
      { key: "", microUsd: 750_000, tokens: 25, toolCalls: 2, calls: 3, unpriced: 1 },
    ]);
  });

  test("names that a database keeps as one name are one row, also within a commit", async () => {
    const agents = ["a\0", "b", "a\uD800", "a\uFFFD"];

    await here.store.commit(
      agents.map((agent) => adds(spent({ agent }))),
      [born(1)],
    );

    const rows = await here.store.spend({ by: "agent" });
    expect(rows.reduce((sum, { microUsd }) => sum + microUsd, 0)).toBe(1_000_000);
  });

  test("it is summed up by each thing, and only what is asked for", async () => {
    const other = await here.store.tenantKey("other");
    await here.store.commit(
      [
        adds(
          spent(),
          spent({ hour: 11 * HOUR, what: "tool:look", root: 2 }),
          spent({ tenant: other, agent: "reader", root: 3 }),
        ),
      ],
      [born(1)],
    );

    expect(await keysBy({ by: "agent" })).toEqual([
      ["reader", 0.25, 1],
      ["writer", 0.5, 2],
    ]);
    expect(await keysBy({ by: "what", tenant: 1 })).toEqual([
      ["model:far/x", 0.25, 1],
      ["tool:look", 0.25, 1],
    ]);
    expect(await keysBy({ by: "hour", sinceMs: 11 * HOUR })).toEqual([
      [String(11 * HOUR), 0.25, 1],
    ]);
    expect(await keysBy({ by: "root", agent: "writer" })).toEqual([
      ["1", 0.25, 1],
      ["2", 0.25, 1],
    ]);
    expect(await keysBy({ by: "tenant", root: 3 })).toEqual([[String(other), 0.25, 1]]);
    expect(await keysBy({ by: "all", agent: "nobody" })).toEqual([["", 0, 0]]);
  });

  test("STORE-2: what a refused extension has spent is not there", async () => {
    await here.store.commit([], [born(1)]);

    await here.store.commit(
      [
        extension(1, 0, ["late"], {
          epoch: 0,
          microUsd: 250_000,
          tokens: 10,
          spend: [spent()],
        }),
      ],
      [],
    );

    expect(await here.store.spendBalance()).toMatchObject({
      rows: { microUsd: 0, tokens: 0, toolCalls: 0 },
      chains: { microUsd: 0, tokens: 0, toolCalls: 0 },
    });
  });

  test("the balance has both sides", async () => {
    await here.store.commit(
      [
        extension(1, 0, ["zero"], { microUsd: 500_000, tokens: 3, toolCalls: 2 }),
        adds(spent({ tokens: 4, toolCalls: 1 })),
      ],
      [born(1)],
    );

    expect(await here.store.spendBalance()).toMatchObject({
      rows: { microUsd: 250_000, tokens: 4, toolCalls: 1 },
      chains: { microUsd: 500_000, tokens: 3, toolCalls: 2 },
    });
  });

  test("past runs are those of the agent that ended, with their children, newest first", async () => {
    await here.store.commit(
      [
        adds(
          spent(),
          spent({ agent: "reader" }),
          spent({ root: 2, microUsd: 1_000_000, toolCalls: 3 }),
          spent({ root: 3, microUsd: 9_000_000 }),
        ),
      ],
      [
        born(1, { agent: "writer" }),
        born(2, { agent: "writer" }),
        born(3, { agent: "writer" }),
        born(4, { agent: "reader" }),
        born(5, { agent: "writer", parent: 1 }),
        ended(1, 100),
        ended(2, 200),
        ended(4, 300),
        ended(5, 400),
      ],
    );

    expect(await here.store.pastRuns(1, "writer", 10)).toEqual([
      { microUsd: 1_000_000, tokens: 10, toolCalls: 3 },
      { microUsd: 500_000, tokens: 20, toolCalls: 0 },
    ]);
    expect(await here.store.pastRuns(1, "writer", 1)).toHaveLength(1);
  });

  test("what chains had spent before there were rows is there after the step that makes them", async () => {
    await here.store.commit(
      [extension(1, 0, ["zero"], { microUsd: 500_000, tokens: 3, toolCalls: 2 })],
      [born(1, { startedAt: 10 * HOUR + 5 })],
    );
    await here.close(here.store);
    for (const undo of [
      ...undos.flatMap(({ statements }) => statements(here.database.kind)),
      ...withoutMicroUsd,
      "drop table spend",
      "drop index process_of_agent",
      "alter table process drop column lane",
      "alter table process drop column begun_at",
      "alter table node drop column alone",
      ...(here.database.kind === "sqlite" ? [] : ["alter table journal drop column place"]),
      "delete from aos_version where version >= 3",
      "update chain set usd = 0.5",
    ])
      await here.database.execute(undo);

    const again = await here.open();

    expect(await again.spend({ by: "what", sinceMs: 10 * HOUR })).toMatchObject([
      { key: "call:before", microUsd: 500_000, tokens: 3, toolCalls: 2 },
    ]);
    expect(await again.writtenAfter(0, 9)).toMatchObject([{ process: 1, text: "zero" }]);
  });

  test("dollars with fractions become whole micro-dollars, and both sides of the balance stay the same", async () => {
    const hour = { startedAt: 10 * HOUR + 5 };
    await here.store.commit(
      [
        extension(1, 0, ["zero"]),
        extension(2, 0, ["zero"]),
        adds(spent(), spent({ what: "model:y" })),
      ],
      [born(1, hour), born(2, { ...hour, parent: 1 })],
    );
    await here.close(here.store);
    for (const undo of [
      ...withoutMicroUsd,
      `alter table spend add column usd ${here.database.kind === "sqlite" ? "real" : "double precision"} not null default 0`,
      "update chain set usd = 0.1234567 where process = 1",
      "update chain set usd = 0.30000000000000004 where process = 2",
      "update chain set tokens = 10",
      "update spend set usd = 0.2117283",
      ...undos.flatMap(({ statements }) => statements(here.database.kind)),
      "delete from aos_version where version >= 5",
    ])
      await here.database.execute(undo);

    const again = await here.open();

    expect((await again.chain(1))!).toMatchObject({ microUsd: 123_457, formerUsd: 0.1234567 });
    expect((await again.chain(2))!.microUsd).toBe(300_000);
    const { rows, chains } = await again.spendBalance();
    expect(rows).toEqual({ ...chains, microUsd: 423_457 });
  });

  test("what is owed is kept in both, and is in no sum of what was spent", async () => {
    const over = { overMicroUsd: 7, overTokens: 3 };
    await here.store.commit(
      [
        extension(1, 0, ["zero"], {
          microUsd: 5,
          ...over,
          spend: [spent({ microUsd: 5, ...over })],
        }),
      ],
      [born(1)],
    );

    const { rows, chains } = await here.store.spendBalance();
    expect([rows, chains]).toMatchObject([
      { microUsd: 5, ...over },
      { microUsd: 5, ...over },
    ]);
    expect(await here.store.spentByTree(1)).toMatchObject({ microUsd: 5, ...over });
    expect(await here.store.chain(1)).toMatchObject(over);
  });
}

const withoutMicroUsd = ["chain", "spend"].flatMap((table) =>
  ["micro_usd", "over_micro_usd", "over_tokens"].map(
    (column) => `alter table ${table} drop column ${column}`,
  ),
);
