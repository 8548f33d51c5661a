import { expect, test } from "vitest";
import { newPlatform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import { MOST_REMOVED } from "../store/removal.ts";
import type { RemovalRow, ResultRun } from "../store/queries.ts";
import { ResultRetention } from "./result-retention.ts";

const run = (key: number, root: number, tenant = 1): ResultRun => ({
  key,
  pid: `agt_${key}`,
  tenant,
  root,
  microUsd: 1,
  tokens: 2,
  toolCalls: 3,
  overMicroUsd: 4,
  overTokens: 5,
});

/** A store that has these results, and remembers what was removed with each row. */
function storeOf(results: readonly ResultRun[]) {
  let left = [...results];
  const removed: { row: RemovalRow; keys: readonly number[] }[] = [];
  const store: Pick<Store, "countResults" | "oldestResults" | "remove" | "reserveKeys"> = {
    countResults: async () => left.length,
    oldestResults: async (trees) => {
      const roots = [...new Set(left.map(({ root }) => root))];
      const first = new Set(roots.slice(0, trees));
      return left.filter(({ root }) => first.has(root));
    },
    remove: async (row, keys) => {
      removed.push({ row, keys });
      left = left.filter(({ key }) => !keys.includes(key));
      return true;
    },
    reserveKeys: async () => 1000 + removed.length,
  };
  return { store: store as Store, removed };
}

const retentionOf = (store: Store, maxResults: number) =>
  new ResultRetention({
    store,
    platform: newPlatform(),
    node: "n",
    audit: { sign: (text) => `signed ${text.length}` },
    maxResults,
  });

test("a tree that is larger than a removal goes in parts, ancestors last", async () => {
  const tree = Array.from({ length: 2 * MOST_REMOVED + 50 }, (_, nth) => run(nth + 1, 1));
  const { store, removed } = storeOf(tree);

  expect(await retentionOf(store, 0).collect()).toBe(tree.length);

  expect(removed.map(({ keys }) => keys.length)).toEqual([MOST_REMOVED, MOST_REMOVED, 50]);
  const order = removed.flatMap(({ keys }) => keys);
  expect(order).toEqual(order.toSorted((a, b) => b - a));
});

test("a removal is of one tenant, is signed, and has the sums of its runs", async () => {
  const { store, removed } = storeOf([run(1, 1), run(2, 2, 7), run(3, 3)]);

  await retentionOf(store, 0).collect();

  expect(removed.map(({ row }) => row)).toMatchObject([
    { tenant: 1, pids: ["agt_1", "agt_3"], microUsd: 2, tokens: 4, toolCalls: 6, overTokens: 10 },
    { tenant: 7, pids: ["agt_2"], microUsd: 1, overMicroUsd: 4 },
  ]);
  for (const { row } of removed) expect(row.signature).toMatch(/^signed /);
});

test("what is within the limit is not touched, and no more goes than is beyond it", async () => {
  const { store, removed } = storeOf([run(1, 1), run(2, 2), run(3, 3)]);

  expect(await retentionOf(store, 3).collect()).toBe(0);
  expect(await retentionOf(store, 2).excess()).toBe(1);
  expect(await retentionOf(store, 2).collect()).toBe(1);

  expect(removed.map(({ keys }) => keys)).toEqual([[1]]);
});

test("it ends when nothing more may go, and when another node is at it", async () => {
  const { store } = storeOf([run(1, 1)]);

  const blocked = { ...store, oldestResults: async () => [] } as Store;
  const contested = { ...store, remove: async () => false } as Store;

  expect(await retentionOf(blocked, 0).collect()).toBe(0);
  expect(await retentionOf(contested, 0).collect()).toBe(0);
});

test("a few are left for another time, unless somebody asks", async () => {
  const { store } = storeOf([run(1, 1), run(2, 2)]);

  expect(await retentionOf(store, 0).collect(3)).toBe(0);
  expect(await retentionOf(store, 0).collect(2)).toBe(2);
});
