// Removal: the rows of compacted runs go, whole trees at a time, and what they have spent stays
// (store/removal.ts REMOVAL-1 to REMOVAL-3).

import { expect, test } from "vitest";
import type { RemovalRow, SpendRow, HoldingRow } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension, forked } from "./rows.ts";

const HOUR = 3_600_000;
const LATER = 1e12;

const spent = (root: number, more: Partial<SpendRow> = {}): SpendRow => ({
  tenant: 1,
  hour: 10 * HOUR,
  agent: "writer",
  root,
  what: "model:far/x",
  microUsd: 250,
  tokens: 10,
  toolCalls: 1,
  calls: 1,
  unpriced: 0,
  overMicroUsd: 3,
  overTokens: 2,
  ...more,
});

const costs = { microUsd: 250, tokens: 10, toolCalls: 1, overMicroUsd: 3, overTokens: 2 };

const removal = (pids: readonly string[], more: Partial<RemovalRow> = {}): RemovalRow => ({
  key: 900,
  tenant: 1,
  node: "a",
  at: 7000,
  pids,
  ...costs,
  signature: "id:bytes",
  ...more,
});

const given = (to: number, by: string): HoldingRow => ({
  handle: `cap_${to}`,
  tenant: 1,
  process: to,
  agent: "tester",
  state: "held",
  blocks: [],
  givenBy: by,
  givenAt: 1,
  expiresAt: null,
  reason: null,
});

export function removalSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const removable = async (trees = 100, before = LATER) =>
    (await here.store.oldestResults(trees, before)).map(({ key }) => key).toSorted();

  /** Process `key`, ended then; of the tree of `parent` where that is said. */
  const finished = (key: number, endedAt: number, parent: number | null = null) =>
    here.store.commit(
      [
        extension(key, 0, ["0"], {
          ...costs,
          spend: [spent(parent ?? key)],
          writes: [ended(key, endedAt)],
        }),
      ],
      [born(key, { parent, root: parent ?? key })],
    );

  test("offered are the compacted, whole trees, those that ended first and long enough ago", async () => {
    await finished(1, 5000);
    await finished(2, 4000);
    await finished(3, 3000, 2);
    await finished(4, 6000);
    await finished(5, 1000);
    expect(await here.store.countResults()).toBe(0);

    await here.store.compact([1, 2, 3, 4]);

    expect(await here.store.countResults()).toBe(4);
    expect(await removable()).toEqual([1, 2, 3, 4]);
    expect(await removable(1)).toEqual([2, 3]);
    expect(await removable(100, 5000)).toEqual([2, 3]);
    expect(await here.store.oldestResults(1, 5000)).toContainEqual({
      key: 3,
      pid: "agt_0003",
      tenant: 1,
      root: 2,
      ...costs,
    });
  });

  test("a tree of which one is not compacted stays whole", async () => {
    await finished(1, 5000);
    await finished(2, 5000, 1);

    await here.store.compact([1]);

    expect(await removable()).toEqual([]);
    await here.store.compact([2]);
    expect(await removable()).toEqual([1, 2]);
  });

  test.for([1, 2])(
    "process %i of a tree that gave power to one who is not compacted keeps it",
    async (giver) => {
      await finished(1, 5000);
      await finished(2, 5000, 1);
      await here.store.commit(
        [],
        [born(3), { op: "holding.add", row: given(3, `agt_000${giver}`) }],
      );
      await here.store.compact([1, 2]);

      expect(await removable()).toEqual([]);

      await here.store.commit([], [ended(3, 9000)]);
      await here.store.compact([3]);
      expect(await removable()).toEqual([1, 2, 3]);
    },
  );

  test("nothing is left of them but the sums of what they have spent, and the removal", async () => {
    await finished(1, 5000);
    await finished(2, 5000);
    await finished(3, 5000);
    await here.store.commit([], [{ op: "holding.add", row: given(1, "operator") }]);
    await here.store.compact([1, 2]);
    const before = await here.store.spend({ by: "agent" });

    const row = removal(["agt_0001", "agt_0002"], {
      microUsd: 500,
      tokens: 20,
      toolCalls: 2,
      overMicroUsd: 6,
      overTokens: 4,
    });
    expect(await here.store.remove(row, [1, 2])).toBe(true);

    expect(await here.store.allKeys()).toEqual([3]);
    expect([await here.store.chain(1), await here.store.holding("cap_1")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await here.store.removals()).toEqual([row]);
    expect(await here.store.spend({ by: "agent" })).toEqual(before);
    expect(await here.store.spend({ by: "root" })).toMatchObject([
      { key: "0", microUsd: 500, tokens: 20, toolCalls: 2, calls: 2, overTokens: 4 },
      { key: "3", microUsd: 250 },
    ]);
    const { rows, chains } = await here.store.spendBalance();
    expect(chains).toEqual(rows);
  });

  test("what is removed later adds to the same sums", async () => {
    await finished(1, 5000);
    await finished(2, 5000);
    await here.store.compact([1, 2]);

    await here.store.remove(removal(["agt_0001"]), [1]);
    await here.store.remove(removal(["agt_0002"], { key: 901 }), [2]);

    expect(await here.store.spend({ by: "root" })).toMatchObject([{ key: "0", microUsd: 500 }]);
    const { rows, chains } = await here.store.spendBalance();
    expect(chains).toEqual(rows);
  });

  test("where one is gone already, or is not compacted, nothing is done", async () => {
    await finished(1, 5000);
    await finished(2, 5000);
    await here.store.compact([1]);

    expect(await here.store.remove(removal(["agt_0001", "agt_0002"]), [1, 2])).toBe(false);
    expect(await here.store.remove(removal(["agt_0001", "agt_0009"]), [1, 9])).toBe(false);

    expect(await here.store.allKeys()).toEqual([1, 2]);
    expect(await here.store.removals()).toEqual([]);
  });

  test("REMOVAL-4: finished runs go with their history, and what they have spent stays", async () => {
    await finished(1, 5000);
    await finished(2, 5000, 1);
    await finished(3, 5000);
    await here.store.compact([2]);
    const before = await here.store.spend({ by: "agent" });
    const row = removal(["agt_0001", "agt_0002"], {
      microUsd: 500,
      tokens: 20,
      toolCalls: 2,
      overMicroUsd: 6,
      overTokens: 4,
    });

    expect((await here.store.tree(1)).map(({ key, isCompacted }) => [key, isCompacted])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(await here.store.removeFinished(row, [1, 2])).toBe(true);

    expect(await here.store.allKeys()).toEqual([3]);
    expect(await here.store.unreached()).toEqual([]);
    expect(await here.store.removals()).toEqual([row]);
    expect(await here.store.spend({ by: "agent" })).toEqual(before);
    const { rows, chains } = await here.store.spendBalance();
    expect(chains).toEqual(rows);
  });

  test("REMOVAL-4: nothing goes where one lives, shares its history, is gone or gave power to one who stays", async () => {
    await finished(1, 5000);
    await here.store.commit([extension(2, 0, ["0"])], [born(2)]);
    await finished(3, 5000);
    await finished(4, 5000);
    await here.store.commit(
      [],
      [forked(5, { from: 3, at: 0 }), { op: "holding.add", row: given(2, "agt_0004") }],
    );

    for (const key of [2, 3, 4, 9])
      expect([key, await here.store.removeFinished(removal(["x", "y"]), [1, key])]).toEqual([
        key,
        false,
      ]);

    expect(await here.store.allKeys()).toEqual([1, 2, 3, 4, 5]);
    expect(await here.store.records(1, { upTo: 0 })).toHaveLength(1);
    expect([await here.store.hasGivenAway(4), await here.store.hasGivenAway(1)]).toEqual([
      true,
      false,
    ]);
  });
}
