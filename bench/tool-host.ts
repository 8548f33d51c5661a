// tool-host: what a call of a project's TypeScript tool costs when its host is warm: the tool by itself,
// and the whole call of a process, through the gate and the journal. Beside them: the same tool plugged
// into the process (no host, no sandbox), and a host that is started for one call.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "../daemon/src/library.ts";
import { trustAnyFolder } from "../daemon/src/trust/library-trust.ts";
import { openProgramRunner } from "../daemon/src/program-runner-setup.ts";
import { createProjectTools, createTools, defineTool } from "../drivers/src/index.ts";
import { deviceContextForTest } from "../tests/helpers/drivers/device-context.ts";
import type { Json, Program, Tool } from "../protocol/src/index.ts";
import { z } from "../drivers/src/tool-host/inside/agent-os.ts";
import { inChild } from "./child.ts";
import { median, quantile, round } from "./measure.ts";

const MODULE = `
import { defineTool, z } from "agent-os";
export default defineTool({
  name: "bench.add", version: "1", description: "Add two numbers.",
  input: z.strictObject({ a: z.number(), b: z.number() }),
  output: z.strictObject({ sum: z.number() }),
  effect: "read",
  run: async ({ a, b }) => ({ sum: a + b }),
});
`;

const plain: Tool = defineTool({
  name: "bench.add",
  version: "1",
  description: "Add two numbers.",
  input: z.strictObject({ a: z.number(), b: z.number() }),
  output: z.strictObject({ sum: z.number() }),
  effect: "read",
  run: async ({ a, b }) => ({ sum: a + b }),
});

interface Figures {
  readonly warm: readonly number[];
  readonly plain: readonly number[];
  readonly cold: readonly number[];
  readonly whole: readonly number[];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** In a process of its own. */
export async function runToolHost({
  calls,
  starts,
}: {
  calls: number;
  starts: number;
}): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "aos-bench-"));
  mkdirSync(join(folder, ".agents", "tools"), { recursive: true });
  writeFileSync(join(folder, ".agents", "tools", "add.ts"), MODULE);
  const runner = openProgramRunner({});
  await runner.sandbox(); // its probing is not part of any call
  const tools = createTools(runner);
  const scope = { tenant: "default", folders: [folder] };
  const context = deviceContextForTest();
  const args = { a: 1, b: 2 };

  const cold: number[] = [];
  for (let i = 0; i < starts; i++) {
    const provider = createProjectTools({ runner, tools, trusted: trustAnyFolder });
    cold.push(
      await timed(async () => {
        await provider.prepare(scope);
        await provider.tools(scope)[0]!.run(args, context);
      }),
    );
    await provider.close();
  }

  const provider = createProjectTools({ runner, tools, trusted: trustAnyFolder });
  const figures: Record<"warm" | "plain", number[]> = { warm: [], plain: [] };
  for (let i = -500; i < calls; i++) {
    // As the kernel does it: what there is is looked up for every call.
    const ms = await timed(async () => {
      await provider.prepare(scope);
      await provider.tools(scope)[0]!.run(args, context);
    });
    const own = await timed(() => plain.run(args, context));
    if (i < 0) continue;
    figures.warm.push(ms);
    figures.plain.push(own);
  }
  await provider.close();
  const whole = await wholeCalls(folder, args, calls);
  await runner.close();
  rmSync(folder, { recursive: true });
  return { ...figures, cold, whole };
}

async function wholeCalls(folder: string, args: Json, calls: number): Promise<number[]> {
  const times: number[] = [];
  const program: Program = async (sys) => {
    for (let i = -200; i < calls; i++) {
      const ms = await timed(() => sys.exec("bench.add", args));
      if (i >= 0) times.push(ms);
    }
    return null;
  };
  const kernel = await createKernel({ programs: { program } });
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "bench",
      program: "program",
      tools: ["bench.add"],
      capabilities: ["tool:bench.*:call"],
    },
    folder,
  });
  const { state, error } = await kernel.wait(pid);
  if (state !== "completed")
    throw new Error(`the calls ended as ${state}: ${JSON.stringify(error)}`);
  await kernel.close();
  return times;
}

export async function toolHost(): Promise<Record<string, unknown>> {
  const {
    warm,
    plain: own,
    cold,
    whole,
  } = await inChild<Figures>("tool-host", {
    calls: 5000,
    starts: 5,
  });
  return {
    ours: round(median(warm), 3),
    p95: round(quantile(warm, 0.95), 3),
    wholeCall: round(median(whole), 3),
    wholeCallP95: round(quantile(whole, 0.95), 3),
    inTheProcess: round(median(own), 4),
    coldStart: round(median(cold), 1),
    limit: 2,
    unit: "ms for a call of a TypeScript tool in a warm host; the limit is on ours and wholeCall",
  };
}
