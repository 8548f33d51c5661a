// dormant: many processes that wait for a message. What each costs in memory, and how long it takes
// from a message to one of them to its answer.

import type { Sys } from "../protocol/src/index.ts";
import { median, quantile, round, withKernel } from "./measure.ts";
import { inChild } from "./child.ts";

interface DormantFigures {
  readonly processes: number;
  readonly bytesEach: number;
  /** Of the second half alone, when what is there once is there. */
  readonly laterBytesEach: number;
  readonly wakeMedianMs: number;
  readonly wakeP99Ms: number;
  readonly loaded: number;
}

const WAKES = 300;
const AT_ONCE = 50;

export async function runDormant({ processes }: { processes: number }): Promise<DormantFigures> {
  const sleeper = async (sys: Sys) => {
    const message = await sys.receive();
    return message.body;
  };
  return withKernel({ unloadAfterMs: 0, programs: { sleeper } }, async ({ kernel }) => {
    const settle = async () => {
      while ((await kernel.status()).loaded > 0)
        await new Promise((resolve) => setTimeout(resolve, 20));
      for (let i = 0; i < 20; i++) {
        (globalThis as { gc?: () => void }).gc?.();
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      return process.memoryUsage().rss;
    };
    const pids: string[] = [];
    for (let i = 0; i < AT_ONCE; i++) await kernel.spawn({ agent: "sleeper" }); // warm: code and caches
    const before = await settle();
    const spawnUpTo = async (count: number) => {
      while (pids.length < count) {
        const batch = Math.min(AT_ONCE, count - pids.length);
        const spawning = Array.from({ length: batch }, () => kernel.spawn({ agent: "sleeper" }));
        pids.push(...(await Promise.all(spawning)));
      }
      return settle();
    };
    const half = Math.floor(processes / 2);
    const between = await spawnUpTo(half);
    const after = await spawnUpTo(processes);
    const times: number[] = [];
    for (let i = 0; i < WAKES; i++) {
      const pid = pids[Math.floor((i * pids.length) / WAKES)]!;
      const from = performance.now();
      await kernel.send(pid, "wake up");
      await kernel.wait(pid);
      times.push(performance.now() - from);
    }
    return {
      processes,
      bytesEach: round((after - before) / processes),
      laterBytesEach: round((after - between) / (processes - half)),
      wakeMedianMs: round(median(times), 2),
      wakeP99Ms: round(quantile(times, 0.99), 2),
      loaded: (await kernel.status()).loaded,
    };
  });
}

export async function dormant(): Promise<Record<string, unknown>> {
  return { ours: await inChild<DormantFigures>("dormant", { processes: 100_000 }) };
}
