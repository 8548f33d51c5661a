// Schedules: a tick is decided once, with its run or without, whoever asks and however often.

import { expect, test } from "vitest";
import {
  scheduleWrite,
  type ScheduleChange,
  type ScheduleRow,
  type TickRow,
  type Write,
} from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, extension } from "./rows.ts";

const schedule = (more: Partial<ScheduleRow> = {}): ScheduleRow => ({
  key: 50,
  tenant: 1,
  name: "nightly",
  node: "a",
  revision: 1,
  spec: "{}",
  grants: "{}",
  paused: null,
  cursor: 0,
  failures: 0,
  skips: 0,
  month: 202601,
  monthMicroUsd: 0,
  monthTokens: 0,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});

const tick = (id: string, more: Partial<TickRow> = {}): TickRow => ({
  schedule: 50,
  id,
  tenant: 1,
  nominal: 10,
  dueAt: 10,
  at: 11,
  outcome: "started",
  reason: null,
  pid: null,
  process: null,
  state: null,
  exitCode: null,
  endedAt: null,
  reservedMicroUsd: 0,
  reservedTokens: 0,
  microUsd: 0,
  tokens: 0,
  ...more,
});

const change = (what: ScheduleChange): Write => scheduleWrite(what);

const add = (more: Partial<ScheduleRow> = {}): Write =>
  change({ op: "schedule.put", row: schedule(more), was: 0 });

const start = (id: string, birth: number, more: { revision?: number; wasQueued?: boolean } = {}) =>
  [
    change({
      op: "tick.put",
      row: tick(id, { pid: `agt_000${birth}`, process: birth }),
      revision: 1,
      wasQueued: false,
      birth,
      skips: 0,
      ...more,
    }),
    change({ op: "schedule.pass", key: 50, cursor: 10 }),
    born(birth),
  ] satisfies Write[];

export function schedulesSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("a tick is there once, and only the first run of it is born (SCHEDULE-WRITES-1)", async () => {
    await here.store.commit([], [add()]);

    const first = await here.store.commit([extension(1, 0, ["start"])], start("t", 1));
    const second = await here.store.commit([extension(2, 0, ["start"])], start("t", 2));

    expect([first.fenced, second.fenced]).toEqual([[], [2]]);
    expect((await here.store.tick(50, "t"))?.process).toBe(1);
    expect(await here.store.processByKey(1)).toBeDefined();
    expect(await here.store.processByKey(2)).toBeUndefined();
    expect(await here.store.chain(2)).toBeUndefined();
  });

  test("what else is in the commit of a refused tick goes through (SCHEDULE-WRITES-1)", async () => {
    await here.store.commit([], [add(), ...start("t", 1)]);

    const { fenced } = await here.store.commit(
      [extension(2, 0, ["start"]), extension(3, 0, ["start"])],
      [...start("t", 2), born(3)],
    );

    expect(fenced).toEqual([2]);
    expect(await here.store.processByKey(3)).toBeDefined();
  });

  test("a tick of a schedule that was changed or removed is refused (SCHEDULE-WRITES-1)", async () => {
    await here.store.commit([], [add()]);
    const paused = schedule({ revision: 2, paused: "by me" });
    await here.store.commit([], [change({ op: "schedule.put", row: paused, was: 1 })]);

    const late = await here.store.commit([extension(1, 0, ["start"])], start("t", 1));
    await here.store.commit([], [change({ op: "schedule.remove", key: 50 })]);
    const gone = await here.store.commit(
      [extension(2, 0, ["start"])],
      start("u", 2, { revision: 2 }),
    );

    expect([late.fenced, gone.fenced]).toEqual([[1], [2]]);
    expect(await here.store.ticks({ schedule: 50, limit: 9 })).toEqual([]);
  });

  test("one that waits is begun once", async () => {
    const queued = tick("t", { outcome: "queued" });
    await here.store.commit(
      [],
      [add(), change({ op: "tick.put", row: queued, revision: 1, wasQueued: false })],
    );
    expect((await here.store.openTicks(50)).map(({ outcome }) => outcome)).toEqual(["queued"]);

    const once = await here.store.commit(
      [extension(1, 0, ["start"])],
      start("t", 1, { wasQueued: true }),
    );
    const twice = await here.store.commit(
      [extension(2, 0, ["start"])],
      start("t", 2, { wasQueued: true }),
    );

    expect([once.fenced, twice.fenced]).toEqual([[], [2]]);
    expect(await here.store.tick(50, "t")).toMatchObject({ outcome: "started" });
  });

  test("a change of another revision changes nothing, and a name is there once", async () => {
    await here.store.commit([], [add()]);
    await here.store.commit([], [add({ key: 51, spec: '{"other":1}' })]);
    const stale = schedule({ revision: 5, spec: '{"stale":1}' });
    await here.store.commit([], [change({ op: "schedule.put", row: stale, was: 4 })]);

    expect(await here.store.schedules()).toEqual([schedule()]);
  });

  test("a cursor never goes back (SCHEDULE-WRITES-2)", async () => {
    await here.store.commit([], [add({ cursor: 100 })]);

    await here.store.commit([], [change({ op: "schedule.pass", key: 50, cursor: 200 })]);
    await here.store.commit([], [change({ op: "schedule.pass", key: 50, cursor: 150 })]);
    const edited = schedule({ revision: 2, cursor: 120 });
    await here.store.commit([], [change({ op: "schedule.put", row: edited, was: 1 })]);

    expect((await here.store.schedule(1, "nightly"))?.cursor).toBe(200);
  });

  test("the end of a run counts once, in its month (SCHEDULE-WRITES-3)", async () => {
    await here.store.commit([], [add(), ...start("t", 1), ...start("u", 2)]);
    const ended = (id: string, month: number, isFailure = true): Write =>
      change({
        op: "tick.end",
        schedule: 50,
        id,
        state: "failed",
        exitCode: 1,
        endedAt: 99,
        isFailure,
        microUsd: 700,
        tokens: 7,
        month,
      });

    await here.store.commit([], [ended("t", 202602), ended("t", 202602)]);
    await here.store.commit([], [ended("u", 202601)]);
    await here.store.commit([], [ended("u", 202601)]);

    const row = await here.store.schedule(1, "nightly");
    expect(row).toMatchObject({ failures: 2, month: 202602, monthMicroUsd: 700, monthTokens: 7 });
    expect(await here.store.openTicks(50)).toEqual([]);
    expect(await here.store.tick(50, "t")).toMatchObject({ state: "failed", microUsd: 700 });
  });

  test("old ticks go, and those that are open stay", async () => {
    const over = (id: string, at: number): Write =>
      change({
        op: "tick.put",
        row: tick(id, { outcome: "skipped", at }),
        revision: 1,
        wasQueued: false,
      });
    await here.store.commit(
      [],
      [add(), over("a", 1), over("b", 14), over("c", 15), over("d", 20), ...start("t", 1)],
    );

    await here.store.commit([], [change({ op: "tick.prune", schedule: 50, before: 15 })]);

    const left = await here.store.ticks({ schedule: 50, limit: 9 });
    expect(left.map(({ id }) => id)).toEqual(["d", "c", "t"]);
    expect(await here.store.tickTime(50, 1)).toBe(15);
    const [newest] = left;
    expect((await here.store.ticks({ schedule: 50, before: newest, limit: 1 }))[0]?.id).toBe("c");
  });

  test("schedules of a node that is gone are another's", async () => {
    await here.store.commit(
      [],
      [add({ node: "gone" }), add({ key: 51, name: "hourly", node: "b" })],
    );
    await here.store.renewNode("b", 1000);

    const taken = await here.store.claimSchedules("a", 500);

    const mine = here.store.kind === "sqlite" ? ["hourly", "nightly"] : ["nightly"];
    expect(taken.map(({ name }) => name).toSorted()).toEqual(mine);
  });
}
