import { expect, test } from "vitest";
import type { FinishedRun } from "../store/contract.ts";
import { KeptRuns } from "./kept-runs.ts";

const run = (key: number, endedAt: number, bytes = 10): FinishedRun => ({
  key,
  pid: `agt_${key}`,
  root: key,
  endedAt,
  records: 1,
  bytes,
});

/** A store with finished runs, and a clock. */
function given(limits: { maxRuns?: number; maxBytes?: number; maxAgeMs?: number }) {
  const runs: FinishedRun[] = [];
  const clock = { now: 1_000_000 };
  const asked: number[] = [];
  const kept = new KeptRuns({
    store: {
      finishedBetween: async (from, to) => {
        const found = runs.filter(({ endedAt }) => endedAt >= from && endedAt < to);
        asked.push(found.length);
        return { runs: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
      },
    },
    platform: { now: () => clock.now },
    limits: {
      maxRuns: Infinity,
      maxBytes: Infinity,
      maxAgeMs: Infinity,
      maxResults: Infinity,
      ...limits,
    },
  });
  return {
    runs,
    clock,
    asked,
    kept,
    lookAtAll: () =>
      kept.sawAll(
        runs.toSorted((a, b) => a.endedAt - b.endedAt),
        clock.now,
      ),
  };
}

test("as long as nobody has looked at all, a limit may be exceeded", async () => {
  const { kept, lookAtAll } = given({ maxRuns: 5 });

  expect(await kept.mayBeBeyond()).toBe(true);
  lookAtAll();
  expect(await kept.mayBeBeyond()).toBe(false);
  kept.forget();
  expect(await kept.mayBeBeyond()).toBe(true);
});

test("KEPT-RUNS-1: the run that is one too many is noticed, whenever it ends", async () => {
  for (const laterMs of [0, 100, 999, 1000, 1001, 60_000]) {
    const { runs, clock, kept, lookAtAll } = given({ maxRuns: 3 });
    runs.push(run(1, clock.now - 60_000), run(2, clock.now - 10));
    lookAtAll();
    runs.push(run(3, clock.now + laterMs));
    clock.now += laterMs;
    expect(await kept.mayBeBeyond()).toBe(false);
    clock.now += laterMs;
    expect(await kept.mayBeBeyond()).toBe(false);

    runs.push(run(4, clock.now));

    expect(await kept.mayBeBeyond()).toBe(true);
    clock.now += 60_000;
    expect(await kept.mayBeBeyond()).toBe(true);
  }
});

test("what runs take counts as their number does", async () => {
  const { runs, clock, kept, lookAtAll } = given({ maxBytes: 100 });
  runs.push(run(1, clock.now - 60_000, 60));
  lookAtAll();
  runs.push(run(2, clock.now, 40));
  expect(await kept.mayBeBeyond()).toBe(false);

  runs.push(run(3, clock.now, 1));

  expect(await kept.mayBeBeyond()).toBe(true);
});

test("KEPT-RUNS-2: an end that is written a moment after its time counts", async () => {
  const { runs, clock, kept, lookAtAll } = given({ maxRuns: 0 });
  lookAtAll();
  clock.now += 800;
  expect(await kept.mayBeBeyond()).toBe(false);

  runs.push(run(1, clock.now - 800));

  expect(await kept.mayBeBeyond()).toBe(true);
});

test("the oldest that was seen comes of age", async () => {
  const { runs, clock, kept, lookAtAll } = given({ maxAgeMs: 1000 });
  runs.push(run(1, clock.now));
  lookAtAll();
  clock.now += 1000;
  expect(await kept.mayBeBeyond()).toBe(false);

  clock.now += 1;

  expect(await kept.mayBeBeyond()).toBe(true);
});

test("KEPT-RUNS-1: after an hour all are looked at again", async () => {
  const { clock, kept, lookAtAll } = given({ maxRuns: 5 });
  lookAtAll();
  clock.now += 3_599_999;
  expect(await kept.mayBeBeyond()).toBe(false);

  clock.now += 1;

  expect(await kept.mayBeBeyond()).toBe(true);
});

test("runs that ended long ago are counted once", async () => {
  const { runs, clock, asked, kept, lookAtAll } = given({ maxRuns: 100 });
  lookAtAll();
  runs.push(run(1, clock.now), run(2, clock.now));
  clock.now += 10_000;
  await kept.mayBeBeyond();

  await kept.mayBeBeyond();

  expect(asked).toEqual([2, 0, 0, 0]);
});
