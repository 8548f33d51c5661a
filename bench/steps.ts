// steps: durable steps per second. Every step is a system call through the whole gate, awaited until
// it is on the disk with full fsync; the peers do the same work in the same run.

import type { Sys } from "../protocol/src/index.ts";
import { runPeer } from "./peers/run.mjs";
import { median, payloadOf, round, stepCapabilities, stepTool, withKernel } from "./measure.ts";
import { inChild } from "./child.ts";

interface Size {
  readonly agents: number;
  readonly steps: number;
  readonly bytes: number;
}

const WARM_SECONDS = 3;
/** Steps of a round of warming up, by however few agents: ten at a time leave the compiler little to go by. */
const WARM_ROUND = 2000;

interface StepsRun extends Size {
  readonly durability: "every-call" | "visible";
  readonly warmSeconds?: number;
  /** A PostgreSQL; without it, a file of SQLite. */
  readonly url?: string;
}

export const runSteps = async (run: StepsRun): Promise<number> =>
  (await measureSteps(run)).perSecond;

/** Steps a second, and the CPU that each took in all threads of this process. */
export async function measureSteps({
  agents,
  steps,
  bytes,
  durability,
  warmSeconds = WARM_SECONDS,
  url,
}: StepsRun): Promise<{ perSecond: number; cpuMicros: number }> {
  const worker = async (sys: Sys, input: unknown) => {
    const { seed, count } = input as { seed: number; count: number };
    for (let step = 0; step < count; step++) {
      await sys.exec("bench.step", { payload: payloadOf(bytes, seed * 1_000_003 + step) });
    }
  };
  const store = url === undefined ? {} : { store: { url } };
  const options = { durability, tools: [stepTool], programs: { worker }, ...store };
  return withKernel(options, async ({ kernel }) => {
    const run = async (count: number, each: number) => {
      const spawning = Array.from({ length: count }, (_, seed) =>
        kernel.spawn({
          agent: "worker",
          input: { seed, count: each },
          capabilities: stepCapabilities,
        }),
      );
      const pids = await Promise.all(spawning);
      await Promise.all(pids.map((pid) => kernel.wait(pid)));
    };
    // As the peers do: what is compared is a server that has been up for a while.
    await run(10, 10);
    const each = Math.min(steps, Math.max(10, Math.ceil(WARM_ROUND / agents)));
    for (const until = Date.now() + warmSeconds * 1000; Date.now() < until;)
      await run(agents, each);
    const cpuBefore = process.cpuUsage();
    const from = performance.now();
    await run(agents, steps);
    const perSecond = (agents * steps) / ((performance.now() - from) / 1000);
    const { user, system } = process.cpuUsage(cpuBefore);
    return { perSecond, cpuMicros: (user + system) / (agents * steps) };
  });
}

/** Ours and the floor are over in a moment, so they are run five times; the peers once. */
export async function steps(): Promise<Record<string, unknown>> {
  const size: Size = { agents: 200, steps: 100, bytes: 400 };
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < 5; round++) {
    ours.push(await inChild("steps", { ...size, durability: "every-call" }));
    bare.push(await peer("bare", size));
  }
  const restate = await peer("restate", size);
  const dbos = await peer("dbos", size);
  const langgraph = await peer("langgraph", size);
  const visible = await inChild("steps", { ...size, durability: "visible" });
  const one = { agents: 1, steps: 1000, bytes: 400 };
  const thousand = { agents: 1000, steps: 50, bytes: 400 };
  return {
    ours: round(median(ours)),
    restate,
    dbos,
    langgraph,
    bare: round(median(bare)),
    oursWhenOnlyVisibleWait: round(visible),
    at1: {
      ours: round(await inChild("steps", { ...one, durability: "every-call" })),
      oursWhenOnlyVisibleWait: round(await inChild("steps", { ...one, durability: "visible" })),
      bare: await peer("bare", one),
    },
    at1000: {
      ours: round(await inChild("steps", { ...thousand, durability: "every-call" })),
      bare: await peer("bare", thousand),
    },
    unit: "steps/s",
  };
}

export async function peer(name: string, size: Size): Promise<number> {
  const result = (await runPeer(name, { ...size, warm: WARM_SECONDS })) as {
    stepsPerSecond?: number;
    error?: string;
  };
  if (result.stepsPerSecond === undefined) console.error(`${name}: ${result.error}`);
  return round(result.stepsPerSecond ?? NaN);
}
