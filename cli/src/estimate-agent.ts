// EstimateAgent: `--estimate` of run, spawn and submit.

import type { CommandCall } from "./command.ts";
import { printEstimate } from "./print-estimate.ts";
import { spawnArgs } from "./spawn-agent.ts";

export async function estimateAgent(call: CommandCall): Promise<void> {
  await printEstimate(call.out, await call.client.estimateSpawn(await spawnArgs(call)));
}
