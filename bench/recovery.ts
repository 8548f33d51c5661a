// recovery: many running agents, the process that runs them killed, and how long until every one of
// them is going again after the next boot.

import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bootKernel, type Kernel } from "../kernel/src/index.ts";
import { benchFolder, round, stepCapabilities, stepTool } from "./measure.ts";
import { inChild } from "./child.ts";

interface HostOptions {
  readonly folder: string;
  readonly agents: number;
}

const STEPS_BEFORE = 20;

/** An agent that has done some steps and goes on doing more, slowly. */
async function boot(folder: string, onStep: (seed: number) => void): Promise<Kernel> {
  return bootKernel({
    store: { file: join(folder, "aos.db") },
    tools: [{ ...stepTool, run: async (args) => (onStep((args as { seed: number }).seed), null) }],
    programs: {
      worker: async (sys, input) => {
        const seed = input as number;
        for (let step = 0; ; step++) {
          await sys.exec("bench.step", { seed, step });
          if (step >= STEPS_BEFORE) await sys.sleep((await sys.now()) + 5000);
        }
      },
    },
  });
}

/** Runs agents until it is killed. */
export async function runRecoveryHost({ folder, agents }: HostOptions): Promise<never> {
  const steps = new Map<number, number>();
  const kernel = await boot(folder, (seed) => steps.set(seed, (steps.get(seed) ?? 0) + 1));
  for (let from = 0; from < agents; from += 200) {
    const batch = Array.from({ length: Math.min(200, agents - from) }, (_, i) => from + i);
    await Promise.all(
      batch.map((seed) =>
        kernel.spawn({ agent: "worker", input: seed, capabilities: stepCapabilities }),
      ),
    );
  }
  const ready = () =>
    steps.size === agents && [...steps.values()].every((count) => count > STEPS_BEFORE);
  while (!ready()) await new Promise((resolve) => setTimeout(resolve, 20));
  appendFileSync(join(folder, "ready"), "ready\n");
  console.log("ready");
  return new Promise(() => {});
}

export async function runRecovery({
  agents,
}: {
  agents: number;
}): Promise<{ seconds: number; agents: number }> {
  const folder = benchFolder();
  try {
    const script = fileURLToPath(new URL("./ours.ts", import.meta.url));
    const host = spawn(
      process.execPath,
      [script, "recovery-host", JSON.stringify({ folder, agents })],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    for await (const line of createInterface(host.stdout)) if (line === "ready") break;
    host.kill("SIGKILL");
    await new Promise((resolve) => host.on("close", resolve));
    readFileSync(join(folder, "ready"));
    const going = new Set<string>();
    const from = performance.now();
    const kernel = await boot(folder, () => {});
    for (;;) {
      const { loaded, states } = await kernel.status();
      if (loaded >= agents || (states.running ?? 0) + (states.waiting ?? 0) < agents) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    // Loaded is not yet going: each must have come to the wait that it was killed in.
    for (;;) {
      for (const info of await kernel.list({ limit: agents }))
        if (info.waitingOn === "timer") going.add(info.pid);
      if (going.size >= agents) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const seconds = (performance.now() - from) / 1000;
    await kernel.close();
    return { seconds: round(seconds, 2), agents };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function recovery(): Promise<Record<string, unknown>> {
  return {
    ours: await inChild<{ seconds: number }>("recovery", { agents: 1000 }),
    unit: "s from boot until all are going",
  };
}
