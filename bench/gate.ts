// gate: what one call costs from the program's request to its record, with no driver behind it and
// nobody waiting for the disk. One call at a time, so that nothing is shared.

import type { Sys } from "../protocol/src/index.ts";
import { median, quantile, round, stepCapabilities, stepTool, withKernel } from "./measure.ts";
import { inChild } from "./child.ts";

interface GateFigures {
  readonly medianUs: number;
  readonly p99Us: number;
}

const CALLS = 20_000;

export async function runGate(): Promise<GateFigures> {
  const times: number[] = [];
  let from = 0;
  const probe = { ...stepTool, touches: () => [] };
  const worker = async (sys: Sys) => {
    for (let call = 0; call < CALLS; call++) {
      from = performance.now();
      await sys.exec("bench.step", { payload: "x" });
      times.push((performance.now() - from) * 1000);
    }
  };
  return withKernel({ tools: [probe], programs: { worker } }, async ({ kernel }) => {
    const pid = await kernel.spawn({ agent: "worker", capabilities: stepCapabilities });
    await kernel.wait(pid);
    const settled = times.slice(CALLS / 4);
    return { medianUs: round(median(settled), 1), p99Us: round(quantile(settled, 0.99), 1) };
  });
}

export async function gate(): Promise<Record<string, unknown>> {
  return { ours: await inChild<GateFigures>("gate", {}), unit: "µs per call" };
}
