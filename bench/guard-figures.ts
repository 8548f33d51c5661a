// Guard figures: what each thing costs, in µs of processor time of all threads, unless it says so. They run in a
// process of their own, on the kernel of any checkout, so that one release can be put beside another.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Kernels from "../kernel/src/index.ts";
import type { ModelDriver, Sys } from "../protocol/src/index.ts";
import { openBareJournal } from "./peers/bare-journal.mjs";
import { bytesIn, payloadOf, stepCapabilities, stepTool } from "./measure.ts";

export interface GuardRun {
  readonly figure: string;
  /** The checkout whose kernel it is. */
  readonly root: string;
  readonly rounds: number;
}

type Kernel = Kernels.Kernel;
type Options = Kernels.KernelOptions;

/** Boots one on the file of this run. */
type Boot = (options: Options) => Promise<Kernel>;

const BYTES = 400;
const AGENTS = 200;

const step = (sys: Sys, seed: number) =>
  sys.exec("bench.step", { payload: payloadOf(BYTES, seed) });

const stepper = async (sys: Sys, input: unknown) => {
  const { seed, count } = input as { seed: number; count: number };
  for (let nth = 0; nth < count; nth++) await step(sys, seed * 1_000_003 + nth);
};

const echo: ModelDriver = {
  provider: "echo",
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 10 }),
  infer: async () => ({
    text: "here",
    toolCalls: [],
    finish: "stop",
    usage: { inputTokens: 5, outputTokens: 5 },
    usd: 0,
  }),
};

const programs = {
  stepper,
  sleeper: async (sys: Sys) => (await sys.receive()).body,
  talker: async (sys: Sys, count: unknown) => {
    const self = (await sys.self()).pid;
    for (let nth = 0; nth < Number(count); nth++) {
      await sys.send(self, payloadOf(BYTES, nth));
      await sys.receive();
    }
  },
  asker: async (sys: Sys, count: unknown) => {
    const messages = [{ role: "user" as const, content: payloadOf(BYTES, 1) }];
    for (let nth = 0; nth < Number(count); nth++) await sys.infer({ model: "echo/here", messages });
  },
};

const options: Options = {
  tools: [stepTool],
  models: [echo],
  programs,
  retention: { maxRuns: Infinity, maxBytes: Infinity },
};

/** Spawns so many at once and waits for their ends. */
async function runAll(
  kernel: Kernel,
  agents: number,
  agent: string,
  inputOf: (n: number) => unknown,
) {
  const capabilities = [
    ...stepCapabilities,
    "model:*:infer",
    "message:*:send",
    "message:*:receive",
  ];
  const spawning = Array.from({ length: agents }, (_, seed) =>
    kernel.spawn({ agent, input: inputOf(seed) as never, capabilities }),
  );
  const pids = await Promise.all(spawning);
  const ends = await Promise.all(pids.map((pid) => kernel.wait(pid)));
  const bad = ends.find(({ state }) => state !== "completed");
  if (bad !== undefined) throw new Error(`${agent}: ${bad.state} ${bad.error?.message}`);
  return pids;
}

interface Figure {
  /** What `rounds` of this cost in the middle is divided by. */
  readonly count: number;
  readonly options?: Partial<Options>;
  /** By the clock and not by the processor: what is waited for is a disk. */
  readonly isWall?: boolean;
  /** Returns what one round is. */
  prepare(kernel: Kernel, boot: Boot): Promise<() => Promise<unknown>>;
}

const steps = (agents: number, each: number, more: Partial<Figure> = {}): Figure => ({
  count: agents * each,
  prepare: async (kernel) => () =>
    runAll(kernel, agents, "stepper", (seed) => ({ seed, count: each })),
  ...more,
});

const sleepers = (kernel: Kernel, count: number) =>
  Promise.all(Array.from({ length: count }, () => kernel.spawn({ agent: "sleeper" })));

const untilUnloaded = async (kernel: Kernel) => {
  while ((await kernel.status()).loaded > 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
};

const kernelFigures: Readonly<Record<string, Figure>> = {
  "durable step, 200 agents": steps(AGENTS, 100, { options: { durability: "every-call" } }),
  "internal step, one agent": steps(1, 10_000, { options: { durability: "visible" } }),
  "awaited step, one agent (time)": steps(1, 1000, {
    options: { durability: "every-call" },
    isWall: true,
  }),
  "replayed call": {
    count: 10_000,
    options: { durability: "visible" },
    prepare: async (kernel) => {
      const [pid] = await runAll(kernel, 1, "stepper", () => ({ seed: 1, count: 10_000 }));
      return async () => {
        if (!(await kernel.replay(pid!)).identical) throw new Error("the replay differs");
      };
    },
  },
  "message, sent and taken": {
    count: 50 * 40,
    prepare: async (kernel) => () => runAll(kernel, 50, "talker", () => 40),
  },
  "model request, beside the model": {
    count: 50 * 40,
    prepare: async (kernel) => () => runAll(kernel, 50, "asker", () => 40),
  },
  "process, spawned to its end": {
    count: 500,
    prepare: async (kernel) => () => runAll(kernel, 500, "stepper", (seed) => ({ seed, count: 0 })),
  },
  "sleeper, woken to its end": {
    count: 200,
    options: { unloadAfterMs: 0 },
    prepare: async (kernel) => async () => {
      const pids = await sleepers(kernel, 200);
      await untilUnloaded(kernel);
      await Promise.all(pids.map((pid) => kernel.send(pid, "wake")));
      await Promise.all(pids.map((pid) => kernel.wait(pid)));
    },
  },
  "waiting process, booted": {
    count: 2000,
    options: { unloadAfterMs: 0 },
    prepare: async (kernel, boot) => {
      await sleepers(kernel, 2000);
      await untilUnloaded(kernel);
      await kernel.close();
      return async () => (await boot({ unloadAfterMs: 0 })).close();
    },
  },
};

/** The least of the rounds, after one that is not counted. */
async function leastOf(
  { rounds }: GuardRun,
  { count, isWall = false }: Pick<Figure, "count" | "isWall">,
  once: () => Promise<unknown>,
): Promise<number> {
  let least = Infinity;
  for (let nth = 0; nth <= rounds; nth++) {
    const [cpu, wall] = [process.cpuUsage(), performance.now()];
    await once();
    const { user, system } = process.cpuUsage(cpu);
    const took = isWall ? (performance.now() - wall) * 1000 : user + system;
    if (nth > 0) least = Math.min(least, took / count);
  }
  return least;
}

async function ofKernel(run: GuardRun, figure: Figure, folder: string): Promise<number> {
  const { bootKernel } = (await import(
    pathToFileURL(join(run.root, "kernel/src/index.ts")).href
  )) as typeof Kernels;
  let open: Kernel | undefined;
  const boot: Boot = async (more) =>
    (open = await bootKernel({ ...options, store: { file: join(folder, "aos.db") }, ...more }));
  const once = await figure.prepare(await boot(figure.options ?? {}), boot);
  const least = await leastOf(run, figure, once);
  await open?.close();
  return least;
}

/** The floor: rows in a hash chain, `agents` of them with one commit, and nothing else. */
function bareLoop(folder: string, agents: number): (rounds: number) => void {
  const { newAgents, round } = openBareJournal(join(folder, "bare.db"));
  const procs = newAgents(agents);
  let step = 0;
  return (rounds) => {
    for (const until = step + rounds; step < until; step++)
      round(procs, step, (proc, nth) => payloadOf(BYTES, proc + nth));
  };
}

const bareFigures: Readonly<Record<string, Pick<Figure, "count" | "isWall"> & { agents: number }>> =
  {
    bare: { count: AGENTS * 100, agents: AGENTS },
    "bare (time)": { count: 1000, agents: 1, isWall: true },
  };

/** Bytes of disk that a step leaves, ours over the floor's. */
async function diskOf(run: GuardRun, folder: string): Promise<number> {
  const figure = kernelFigures["durable step, 200 agents"]!;
  const sizeAfter = async (work: (folder: string) => Promise<void>) => {
    const inside = mkdtempSync(join(folder, "disk-"));
    await work(inside);
    return bytesIn(inside);
  };
  const ours = await sizeAfter(async (inside) => {
    await ofKernel({ ...run, rounds: 1 }, figure, inside);
  });
  const bare = await sizeAfter(async (inside) => {
    bareLoop(inside, AGENTS)(200);
  });
  return ours / bare;
}

export const DISK = "bytes of disk of a step";
export const figureNames = [...Object.keys(kernelFigures), DISK];

/** Which of the two floors a figure is divided by. */
export const floorOf = (figure: string): string =>
  kernelFigures[figure]?.isWall === true ? "bare (time)" : "bare";

export async function runGuard(run: GuardRun): Promise<number> {
  const folder = mkdtempSync(join(process.env["AOS_BENCH_DIR"] ?? tmpdir(), "aos-guard-"));
  try {
    const bare = bareFigures[run.figure];
    if (bare !== undefined) {
      const loop = bareLoop(folder, bare.agents);
      return await leastOf(run, bare, async () => loop(bare.count / bare.agents));
    }
    if (run.figure === DISK) return await diskOf(run, folder);
    return await ofKernel(run, kernelFigures[run.figure]!, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
