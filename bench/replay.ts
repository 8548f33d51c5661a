// replay: recorded calls per second when a run is replayed from its journal and compared.

import type { Sys } from "../protocol/src/index.ts";
import { payloadOf, round, stepCapabilities, stepTool, withKernel } from "./measure.ts";
import { inChild } from "./child.ts";

export async function runReplay({
  calls,
  bytes,
}: {
  calls: number;
  bytes: number;
}): Promise<number> {
  const worker = async (sys: Sys) => {
    for (let call = 0; call < calls; call++)
      await sys.exec("bench.step", { payload: payloadOf(bytes, call) });
  };
  return withKernel({ tools: [stepTool], programs: { worker } }, async ({ kernel }) => {
    const pid = await kernel.spawn({ agent: "worker", capabilities: stepCapabilities });
    await kernel.wait(pid);
    await kernel.replay(pid);
    const from = performance.now();
    const report = await kernel.replay(pid);
    if (!report.identical) throw new Error("the replay differs");
    return calls / ((performance.now() - from) / 1000);
  });
}

export async function replay(): Promise<Record<string, unknown>> {
  return { ours: round(await inChild("replay", { calls: 50_000, bytes: 400 })), unit: "calls/s" };
}
