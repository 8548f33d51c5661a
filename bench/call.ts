// call: what one system call costs, in µs of CPU time by thread and in bytes that are allocated for it.
//
//   many     200 agents, every call awaited until it is on the disk
//   one      one agent, whose calls nobody outside can see: nobody waits for the disk
//   replay   one recorded call, replayed and compared
//
// CPU time and not the clock: the figures are those of a busy machine, too. Each figure is the least of
// several rounds; with `--beside CHECKOUT` the same of another checkout, round by round in turn.

import { readdirSync, readFileSync } from "node:fs";
import { GCProfiler } from "node:v8";
import type { Sys } from "../protocol/src/index.ts";
import { inChild } from "./child.ts";
import { payloadOf, round, stepCapabilities, stepTool, withKernel } from "./measure.ts";
import { optionOf } from "./option.ts";

interface Size {
  readonly agents: number;
  readonly steps: number;
  readonly durability: "every-call" | "visible";
  readonly rounds: number;
  /** Replayed instead of run. */
  readonly isReplayed?: boolean;
}

/** µs of CPU time, or bytes, of one call. */
interface Figures {
  readonly all: number;
  readonly main: number;
  readonly store: number;
  readonly helpers: number;
  readonly bytes: number;
}

type Thread = "main" | "store" | "helpers";

const BYTES = 400;
const WARM_UP = 40_000;
const HELPERS: ReadonlySet<string> = new Set(["V8Worker", "DelayedTaskSche", "SignalInspector"]);

const threadOf = (name: string): Thread =>
  HELPERS.has(name) || name.startsWith("libuv") ? "helpers" : "store";

/** Nanoseconds that each thread of this process has run. */
function cpuTimes(): Record<Thread, number> {
  const times = { main: 0, store: 0, helpers: 0 };
  for (const tid of readdirSync("/proc/self/task")) {
    const read = (what: string) => readFileSync(`/proc/self/task/${tid}/${what}`, "utf8").trim();
    const thread = tid === String(process.pid) ? "main" : threadOf(read("comm"));
    times[thread] += Number(read("schedstat").split(" ")[0]);
  }
  return times;
}

/** The bytes that are allocated while it works. */
async function allocatedBy(work: () => Promise<void>): Promise<number> {
  const profiler = new GCProfiler();
  let last = process.memoryUsage().heapUsed;
  profiler.start();
  await work();
  const end = process.memoryUsage().heapUsed;
  let bytes = 0;
  for (const { beforeGC, afterGC } of profiler.stop()!.statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - last;
    last = afterGC.heapStatistics.usedHeapSize;
  }
  return bytes + end - last;
}

export async function runCall({
  agents,
  steps,
  durability,
  rounds,
  isReplayed = false,
}: Size): Promise<Figures> {
  const worker = async (sys: Sys, input: unknown) => {
    const { seed, count } = input as { seed: number; count: number };
    for (let step = 0; step < count; step++)
      await sys.exec("bench.step", { payload: payloadOf(BYTES, seed * 1_000_003 + step) });
  };
  return withKernel({ durability, tools: [stepTool], programs: { worker } }, async ({ kernel }) => {
    const spawnAll = async () => {
      const spawning = Array.from({ length: agents }, (_, seed) =>
        kernel.spawn({
          agent: "worker",
          input: { seed, count: steps },
          capabilities: stepCapabilities,
        }),
      );
      const pids = await Promise.all(spawning);
      await Promise.all(pids.map((pid) => kernel.wait(pid)));
      return pids;
    };
    const recorded = isReplayed ? await spawnAll() : [];
    const once = async () => {
      if (!isReplayed) await spawnAll();
      for (const pid of recorded)
        if (!(await kernel.replay(pid)).identical) throw new Error("the replay differs");
    };
    const calls = agents * steps;
    for (let done = 0; done < WARM_UP; done += calls) await once();
    const least = { all: Infinity, main: Infinity, store: Infinity, helpers: Infinity };
    for (let nth = 0; nth < rounds; nth++) {
      const before = cpuTimes();
      await once();
      const after = cpuTimes();
      const [main, store, helpers] = (["main", "store", "helpers"] as const).map(
        (thread) => (after[thread] - before[thread]) / 1000 / calls,
      ) as [number, number, number];
      least.all = Math.min(least.all, main + store + helpers);
      least.main = Math.min(least.main, main);
      least.store = Math.min(least.store, store);
      least.helpers = Math.min(least.helpers, helpers);
    }
    return { ...least, bytes: (await allocatedBy(once)) / calls };
  });
}

const SIZES: Readonly<Record<string, Omit<Size, "rounds">>> = {
  many: { agents: 200, steps: 100, durability: "every-call" },
  one: { agents: 1, steps: 5000, durability: "visible" },
  replay: { agents: 1, steps: 20_000, durability: "visible", isReplayed: true },
};

export async function call(args: readonly string[]): Promise<Record<string, unknown>> {
  const beside = optionOf(args, "--beside");
  const besides = beside === undefined ? [] : [beside];
  const result: Record<string, unknown> = {};
  for (const [name, size] of Object.entries(SIZES)) {
    const here: Figures[] = [];
    const there: Figures[] = [];
    for (let nth = 0; nth < 3; nth++) {
      here.push(await inChild("call", { ...size, rounds: 5 }));
      for (const checkout of besides)
        there.push(await inChild("call", { ...size, rounds: 5 }, checkout));
    }
    result[name] = leastOf(here);
    if (besides.length > 0) result[`${name} beside`] = leastOf(there);
  }
  return { ...result, unit: "µs of CPU time and bytes for one call" };
}

const leastOf = (all: readonly Figures[]): Record<keyof Figures, number> => {
  const least = (of: keyof Figures, digits: number) =>
    round(Math.min(...all.map((one) => one[of])), digits);
  return {
    all: least("all", 1),
    main: least("main", 1),
    store: least("store", 1),
    helpers: least("helpers", 1),
    bytes: least("bytes", 0),
  };
};
