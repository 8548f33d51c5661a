// `ADMISSION-QUEUE-1` and `ADMISSION-QUEUE-2` are the invariants of admission-queue.ts.

import { lanes } from "@aos/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AdmissionQueue, queuedTree, type QueuedTree } from "./admission-queue.ts";

const entry = (key: number, more: Partial<QueuedTree> = {}): QueuedTree => ({
  key,
  tenant: 1,
  lane: "normal",
  deadlineAt: Infinity,
  startedAt: 0,
  ...more,
});

function drained(queue: AdmissionQueue): number[] {
  const keys: number[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) keys.push(next.key);
  return keys;
}

test("a row without a lane waits in the normal one, and one without a deadline behind those with", () => {
  const row = { key: 7, tenant: 2, lane: null, startedAt: 5, spec: {} };

  expect(queuedTree(row as never)).toEqual(entry(7, { tenant: 2, startedAt: 5 }));
});

test("the lane counts first, then the deadline, then the age, then the key (ADMISSION-QUEUE-1)", () => {
  const queue = new AdmissionQueue();
  const given = [
    entry(1, { lane: "background", deadlineAt: 1 }),
    entry(2),
    entry(3, { startedAt: -1 }),
    entry(4, { deadlineAt: 90 }),
    entry(5, { deadlineAt: 10 }),
    entry(6, { lane: "critical" }),
  ];
  for (const one of given) queue.add(one);

  expect(given.map(({ key }) => queue.place(key))).toEqual([6, 5, 4, 3, 2, 1]);
  expect(queue.byLane()).toEqual({ critical: 1, high: 0, normal: 4, low: 0, background: 1 });
  expect(drained(queue)).toEqual([6, 5, 4, 3, 2, 1]);
});

test("one that is there already is not added twice, and one that is not is not removed", () => {
  const queue = new AdmissionQueue();
  queue.add(entry(1));
  queue.add(entry(1, { lane: "high" }));

  expect(queue.size).toBe(1);
  expect(queue.countOf(1)).toBe(1);
  expect(queue.remove(2)).toBe(false);
  expect(queue.remove(1)).toBe(true);
  expect([queue.size, queue.countOf(1), queue.place(1)]).toEqual([0, 0, null]);
});

test("whatever comes and goes, the order is that of the rows (ADMISSION-QUEUE-2), and the counts are right", () => {
  const some = fc.record({
    tenant: fc.integer({ min: 1, max: 3 }),
    lane: fc.constantFrom(...lanes),
    deadlineAt: fc.constantFrom(1, 2, Infinity),
    startedAt: fc.integer({ min: 0, max: 3 }),
    stays: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), (given) => {
      const entries = given.map(({ stays, ...more }, key) => ({ stays, one: entry(key, more) }));
      const queue = new AdmissionQueue();
      for (const { one } of entries) queue.add(one);
      for (const { one, stays } of entries) if (!stays) queue.remove(one.key);
      const left = entries.filter(({ stays }) => stays).map(({ one }) => one);
      const order = left.toSorted(
        (a, b) =>
          lanes.indexOf(a.lane) - lanes.indexOf(b.lane) ||
          (a.deadlineAt < b.deadlineAt ? -1 : a.deadlineAt > b.deadlineAt ? 1 : 0) ||
          a.startedAt - b.startedAt ||
          a.key - b.key,
      );

      expect(queue.size).toBe(left.length);
      for (const tenant of [1, 2, 3])
        expect(queue.countOf(tenant)).toBe(left.filter((one) => one.tenant === tenant).length);
      expect(order.map(({ key }) => queue.place(key))).toEqual(order.map((_, i) => i + 1));
      expect(drained(queue)).toEqual(order.map(({ key }) => key));
    }),
  );
});

test("a line of hundreds is taken from its front, added to and cut in the middle, in order (ADMISSION-QUEUE-1)", () => {
  const queue = new AdmissionQueue();
  for (let key = 0; key < 500; key++) queue.add(entry(key, { startedAt: key }));

  const taken = Array.from({ length: 300 }, () => queue.take()!.key);
  queue.add(entry(1000, { startedAt: 310.5 }));
  queue.remove(400);

  expect(taken).toEqual(Array.from({ length: 300 }, (_, nth) => nth));
  expect([queue.size, queue.place(300), queue.place(1000), queue.place(401)]).toEqual([
    200, 1, 12, 102,
  ]);
  const left = drained(queue);
  expect(left.slice(0, 13)).toEqual([
    300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 1000, 311,
  ]);
  expect(left).toHaveLength(200);
  expect(left).not.toContain(400);
});
