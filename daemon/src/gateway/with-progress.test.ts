import { expect, test } from "vitest";
import { withProgress } from "./with-progress.ts";

test("long work says how far it is, and ends with its result", async () => {
  const lines = withProgress(async (onProgress) => {
    onProgress({ done: 1, total: 3 });
    onProgress({ done: 2, total: 3 });
    await new Promise((resolve) => setTimeout(resolve, 600));
    return { ok: true };
  });

  const told = await all(lines);

  expect(told[0]).toEqual({ progress: { done: 2, total: 3 } });
  expect(told.at(-1)).toEqual({ result: { ok: true } });
  expect(told).toHaveLength(2); // what did not change is not told again
});

test("short work is its result alone, and a failure is thrown", async () => {
  const failing = all(withProgress(() => Promise.reject(new Error("no"))));

  await expect(failing).rejects.toThrow("no");
  expect(await all(withProgress(async () => undefined))).toEqual([{ result: null }]);
});

async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const line of lines) found.push(line);
  return found;
}
