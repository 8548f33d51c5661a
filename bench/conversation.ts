// conversation: one persistent agent that is invoked again and again. By how much the database grows with
// its conversation, and how long the first hundred invokes take beside the last hundred.

import { createScriptedModels } from "../drivers/src/index.ts";
import type { ManifestText } from "../protocol/src/index.ts";
import { programs } from "../userland/src/index.ts";
import { bytesIn, median, round, withKernel } from "./measure.ts";

const INVOKES = 1_200;
const PART = 100;

const manifest: ManifestText = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "resident",
  model: "scripted/it",
  persistent: true,
  capabilities: ["model:*:infer"],
};

export async function conversation(): Promise<Record<string, unknown>> {
  const scripts = { it: { turns: [{ when: {}, say: "here: {{last}}" }] } };
  const models = [createScriptedModels({ folders: [], scripts })];
  return withKernel({ programs, models }, async ({ kernel, folder }) => {
    const pid = await kernel.spawn({ manifest });
    const ms: number[] = [];
    for (let turn = 0; turn < INVOKES; turn++) {
      const began = performance.now();
      await kernel.invoke(pid, { input: `question ${turn}` });
      ms.push(performance.now() - began);
    }
    await kernel.close(); // the write-ahead log becomes part of the file
    return {
      invokes: INVOKES,
      firstMs: round(median(ms.slice(0, PART)), 2),
      lastMs: round(median(ms.slice(-PART)), 2),
      megabytes: round(bytesIn(folder) / 1e6, 1),
    };
  });
}
