// disk: bytes on disk per step, and whether that stays flat as one run grows.

import { runPeer } from "./peers/run.mjs";
import { bootKernel } from "../kernel/src/index.ts";
import { benchFolder, bytesIn, payloadOf, round, stepCapabilities, stepTool } from "./measure.ts";
import { inChild } from "./child.ts";
import { rmSync } from "node:fs";
import { join } from "node:path";

export async function runDisk({ steps, bytes }: { steps: number; bytes: number }): Promise<number> {
  const folder = benchFolder();
  const kernel = await bootKernel({
    store: { file: join(folder, "aos.db") },
    auditFolder: join(folder, "audit"),
    tools: [stepTool],
    programs: {
      worker: async (sys) => {
        for (let step = 0; step < steps; step++)
          await sys.exec("bench.step", { payload: payloadOf(bytes, step) });
      },
    },
  });
  const empty = bytesIn(folder);
  const pid = await kernel.spawn({ agent: "worker", capabilities: stepCapabilities });
  await kernel.wait(pid);
  await kernel.close();
  const used = bytesIn(folder) - empty;
  rmSync(folder, { recursive: true });
  return used / steps;
}

export async function disk(): Promise<Record<string, unknown>> {
  const bytes = 400;
  const at: Record<string, number> = {};
  for (const steps of [500, 2000, 5000]) at[steps] = round(await inChild("disk", { steps, bytes }));
  const perStep = async (name: string) => {
    const result = (await runPeer(name, { agents: 1, steps: 500, bytes })) as {
      diskBytes?: number;
    };
    return round((result.diskBytes ?? NaN) / 500);
  };
  return {
    ours: at["5000"],
    restate: await perStep("restate"),
    dbos: await perStep("dbos"),
    langgraph: await perStep("langgraph"),
    bare: await perStep("bare"),
    oursAtSteps: at,
    limit: 1.5 * bytes + 300,
    unit: "bytes/step (peers at 500 steps)",
  };
}
