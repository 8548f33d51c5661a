// `ADMISSION-2` and the like are the invariants of admission.ts.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ProcessRow } from "../store/rows.ts";
import { AdmissionControl } from "./admission.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const rowOf = (key: number, more: Partial<ProcessRow> = {}): ProcessRow =>
  ({ key, tenant: 1, lane: null, startedAt: key, spec: {}, ...more }) as ProcessRow;

interface Given {
  rules?: Partial<{ running: number; queued: number; queuedPerTenant: number }>;
  pending?: readonly ProcessRow[];
  begin?: (key: number) => Promise<unknown>;
}

/** A table of which only the number of trees counts, and a list of those that were begun. */
function admission({ rules, pending = [], begin }: Given = {}) {
  const table = { treeCount: 0, onTreeLeft: () => {} };
  const begun: number[] = [];
  const alarms: number[] = [];
  const journal = { failure: undefined as unknown, store: { processes: async () => pending } };
  const it = new AdmissionControl({
    journal: journal as never,
    platform: { now: () => Date.now() } as never,
    table: table as never,
    node: "here",
    rules: { running: 1, queued: 10, queuedPerTenant: 10, ...rules },
    begin: async (key) => {
      begun.push(key);
      await begin?.(key);
      table.treeCount += 1;
    },
    alarm: (at) => void alarms.push(at),
    slots: () => [],
    trouble: () => {},
  });
  const leave = () => {
    table.treeCount -= 1;
    table.onTreeLeft();
  };
  return { it, table, begun, alarms, journal, leave };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test("until a boot has looked, whatever is new waits (ADMISSION-3)", async () => {
  const { it, begun } = admission({ pending: [rowOf(1)] });
  expect(it.enter(1).isQueued).toBe(true);

  await it.look();
  await settle();
  expect(begun).toEqual([]);
  it.open();
  await settle();

  expect(begun).toEqual([1]);
});

test("a place is taken before it is used, and given back once (ADMISSION-2)", () => {
  const { it } = admission();
  it.open();
  const first = it.enter(1);
  const second = it.enter(1);

  expect([first.isQueued, second.isQueued]).toEqual([false, true]);
  first.giveBack();
  first.giveBack();
  second.giveBack();

  expect(it.report().running).toBe(0);
  expect(it.enter(1).isQueued).toBe(false);
});

test("nobody overtakes what waits, though there is room", async () => {
  const { it, table } = admission({ rules: { running: 1 } });
  it.open();
  table.treeCount = 1;
  it.add(rowOf(1));
  table.treeCount = 0; // nobody has said so yet

  expect(it.enter(1).isQueued).toBe(true);
});

test("a place that becomes free is for the next, and only for one", async () => {
  const { it, table, begun, leave } = admission();
  it.open();
  table.treeCount = 1;
  for (const key of [1, 2, 3]) it.add(rowOf(key));

  leave();
  await settle();
  expect(begun).toEqual([1]);
  leave();
  await settle();

  expect(begun).toEqual([1, 2]);
  expect(it.report()).toMatchObject({ running: 1, queued: { normal: 1 } });
});

test("one that is added again is where its row says now", () => {
  const { it } = admission();
  it.add(rowOf(1));
  it.add(rowOf(2));

  it.add(rowOf(2, { lane: "high" }));

  expect([it.place(1), it.place(2)]).toEqual([2, 1]);
});

test("one that ended or is paused does not begin; one whose lane changed begins where that says", async () => {
  const { it, table, begun, leave } = admission();
  it.open();
  table.treeCount = 1;
  for (const key of [1, 2, 3]) it.add(rowOf(key));
  it.remove(1);
  it.move(rowOf(3, { lane: "high" }));
  it.move(rowOf(9, { lane: "high" })); // does not wait here

  leave();
  await settle();
  leave();
  await settle();
  leave();
  await settle();

  expect(begun).toEqual([3, 2]);
});

test("places in the queue are counted when they are given, of all and of a tenant (ADMISSION-2, ADMISSION-4)", () => {
  const { it, table } = admission({ rules: { queued: 3, queuedPerTenant: 2 } });
  it.open();
  table.treeCount = 1;
  it.add(rowOf(1));
  it.enter(1);

  expect(() => it.enter(1)).toThrow(
    /^2 processes of this tenant wait in the start queue, and the limit is 2$/,
  );
  const other = it.enter(2);
  expect(() => it.enter(3)).toThrow(/^3 processes wait in the start queue, and the limit is 3$/);
  other.giveBack();

  expect(it.enter(3).isQueued).toBe(true);
});

test("who is refused is told when, as things go, there will be a place (ADMISSION-4)", async () => {
  const { it, table, leave } = admission({ rules: { queued: 4, queuedPerTenant: 1 } });
  const retryAfter = (tenant: number) => {
    try {
      it.enter(tenant);
    } catch (error) {
      return (error as { retryAfter: number }).retryAfter;
    }
    return undefined;
  };
  it.open();
  table.treeCount = 1;
  for (const key of [1, 2, 3, 4, 5, 6, 7]) it.add(rowOf(key, { tenant: key }));
  expect(retryAfter(1)).toBe(1000); // nothing is known yet
  for (let i = 0; i < 3; i++) {
    await vi.advanceTimersByTimeAsync(5000);
    leave();
    await settle();
  }

  expect(retryAfter(9)).toBe(5000); // one begins every five seconds
  await vi.advanceTimersByTimeAsync(60_000);
  expect(retryAfter(9)).toBe(60_000); // it has come to a stop
  it.remove(7);
  expect(retryAfter(6)).toBe(180_000); // one in three is of this tenant
});

test("one that could not be begun is tried again, and others are not kept by it", async () => {
  let fails = true;
  const { it, table, begun, leave } = admission({
    begin: async (key) => {
      if (key === 1 && fails) throw new Error("the disk");
    },
  });
  it.open();
  table.treeCount = 1;
  it.add(rowOf(1));
  it.add(rowOf(2));

  leave();
  await settle();
  fails = false;
  leave();
  await vi.advanceTimersByTimeAsync(1000);

  expect(begun).toEqual([1, 2, 1]);
});

test("after a close, or when the store has failed, nothing begins", async () => {
  const { it, table, begun, journal, leave } = admission();
  it.open();
  table.treeCount = 1;
  it.add(rowOf(1));
  journal.failure = new Error("gone");
  leave();
  await settle();
  journal.failure = undefined;
  it.close();
  it.open();
  await settle();

  expect(begun).toEqual([]);
});

test("one that has a time to live is looked at when it is over", () => {
  const { it, alarms } = admission();

  it.add(rowOf(1, { spec: { expiresAt: 77 } as never }));

  expect(alarms).toEqual([77]);
});
