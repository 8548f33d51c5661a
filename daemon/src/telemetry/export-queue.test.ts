import { expect, test } from "vitest";
import { ExportQueue } from "./export-queue.ts";

const never = 1_000_000;

test("EXPORT-QUEUE-1: what does not fit is dropped and counted, the oldest first", async () => {
  const got: number[] = [];
  const queue = new ExportQueue<number>({
    send: async (batch) => void got.push(...batch),
    onTrouble: () => {},
    most: 3,
    everyMs: never,
  });
  for (const item of [1, 2, 3, 4, 5]) queue.add(item);

  await queue.close();

  expect(got).toEqual([3, 4, 5]);
  expect(queue.counts).toEqual({ sent: 3, dropped: 2 });
});

test("EXPORT-QUEUE-2: a batch that could not be sent is sent the next time, once", async () => {
  const got: number[] = [];
  const troubles: unknown[] = [];
  let isUp = false;
  const queue = new ExportQueue<number>({
    send: async (batch) => {
      if (!isUp) throw new Error("away");
      got.push(...batch);
    },
    onTrouble: (error) => troubles.push(error),
    batch: 2,
    everyMs: never,
  });
  for (const item of [1, 2, 3]) queue.add(item);
  await queue.flush();
  expect({ got, troubles: troubles.length }).toEqual({ got: [], troubles: 1 });
  isUp = true;

  await queue.flush();

  expect(got).toEqual([1, 2, 3]);
  expect(queue.counts).toEqual({ sent: 3, dropped: 0 });
  await queue.close();
});

test("EXPORT-QUEUE-3: what cannot be sent at the end is counted as dropped", async () => {
  const queue = new ExportQueue<number>({
    send: async () => Promise.reject(new Error("away")),
    onTrouble: () => {},
    everyMs: never,
  });
  queue.add(1);

  await queue.close();

  expect(queue.counts).toEqual({ sent: 0, dropped: 1 });
});
