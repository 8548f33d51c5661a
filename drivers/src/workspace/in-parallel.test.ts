import { expect, test } from "vitest";
import { inParallel } from "./in-parallel.ts";

test("all is done, some at a time; the first failure is thrown after what was begun has ended", async () => {
  const done: number[] = [];
  let [now, most] = [0, 0];
  const work = async (item: number) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    done.push(item);
    if (item === 50) throw new Error("fifty");
  };

  await inParallel(
    Array.from({ length: 40 }, (_, at) => at),
    work,
  );
  expect(done).toHaveLength(40);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(40);

  await expect(
    inParallel(
      Array.from({ length: 100 }, (_, at) => at),
      work,
    ),
  ).rejects.toThrow("fifty");
  expect(now).toBe(0);
  expect(done.length).toBeLessThan(140);
});
