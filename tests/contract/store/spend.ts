// Spend: what was spent, by the hour, and that it is what the chains say.

import { expect, test } from "vitest";
import type { SpendRow } from "../../../kernel/src/store/spend.ts";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension } from "./rows.ts";

const HOUR = 3_600_000;

const spent = (more: Partial<SpendRow> = {}): SpendRow => ({
  tenant: 1,
  hour: 10 * HOUR,
  agent: "writer",
  root: 1,
  what: "model:far/x",
  usd: 0.25,
  tokens: 10,
  toolCalls: 0,
  calls: 1,
  unpriced: 0,
  ...more,
});

const adds = (...rows: SpendRow[]) => rows.map((row) => ({ op: "spend.add", row }) as const);

export function spendSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const keysBy = async (query: Parameters<typeof here.store.spend>[0]) =>
    (await here.store.spend(query)).map(({ key, usd, calls }) => [key, usd, calls]);

  test("what is added to the same row adds up, over commits and within one", async () => {
    await here.store.commit([], adds(spent(), spent({ unpriced: 1 })));
    await here.store.commit([], adds(spent({ toolCalls: 2, tokens: 5 })));

    expect(await here.store.spend({ by: "all" })).toEqual([
      { key: "", usd: 0.75, tokens: 25, toolCalls: 2, calls: 3, unpriced: 1 },
    ]);
  });

  test("it is summed up by each thing, and only what is asked for", async () => {
    const other = await here.store.tenantKey("other");
    await here.store.commit(
      [],
      adds(
        spent(),
        spent({ hour: 11 * HOUR, what: "tool:look", root: 2 }),
        spent({ tenant: other, agent: "reader", root: 3 }),
      ),
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

  test("S2: what a refused extension has spent is not there", async () => {
    await here.store.commit([], [born(1)]);

    await here.store.commit(
      [extension(1, 0, ["late"], { epoch: 0, usd: 0.25, tokens: 10, writes: adds(spent()) })],
      [],
    );

    expect(await here.store.spendBalance()).toEqual({
      rows: { usd: 0, tokens: 0, toolCalls: 0 },
      chains: { usd: 0, tokens: 0, toolCalls: 0 },
    });
  });

  test("the balance has both sides", async () => {
    await here.store.commit(
      [extension(1, 0, ["zero"], { usd: 0.5, tokens: 3, toolCalls: 2 })],
      [born(1), ...adds(spent({ tokens: 4, toolCalls: 1 }))],
    );

    expect(await here.store.spendBalance()).toEqual({
      rows: { usd: 0.25, tokens: 4, toolCalls: 1 },
      chains: { usd: 0.5, tokens: 3, toolCalls: 2 },
    });
  });

  test("past runs are those of the agent that ended, with their children, newest first", async () => {
    await here.store.commit(
      [],
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
        ...adds(
          spent(),
          spent({ agent: "reader" }),
          spent({ root: 2, usd: 1, toolCalls: 3 }),
          spent({ root: 3, usd: 9 }),
        ),
      ],
    );

    expect(await here.store.pastRuns(1, "writer", 10)).toEqual([
      { usd: 1, tokens: 10, toolCalls: 3 },
      { usd: 0.5, tokens: 20, toolCalls: 0 },
    ]);
    expect(await here.store.pastRuns(1, "writer", 1)).toHaveLength(1);
  });

  test("what chains had spent before there were rows is there after the step that makes them", async () => {
    await here.store.commit(
      [extension(1, 0, ["zero"], { usd: 0.5, tokens: 3, toolCalls: 2 })],
      [born(1, { startedAt: 10 * HOUR + 5 })],
    );
    await here.close(here.store);
    for (const undo of [
      "drop table spend",
      "drop index process_of_agent",
      "alter table process drop column lane",
      "alter table process drop column begun_at",
      "alter table node drop column alone",
      ...(here.database.kind === "sqlite" ? [] : ["alter table journal drop column place"]),
      "delete from aos_version where version >= 3",
    ])
      await here.database.execute(undo);

    const again = await here.open();

    expect(await again.spend({ by: "what", sinceMs: 10 * HOUR })).toMatchObject([
      { key: "call:before", usd: 0.5, tokens: 3, toolCalls: 2 },
    ]);
    expect(await again.writtenAfter(0, 9)).toMatchObject([{ process: 1, text: "zero" }]);
  });
}
