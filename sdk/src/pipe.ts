// Pipe: a manifest of `kind: Pipe`, written as a list of stages.
//
//   const digest = pipe("digest", ["research", check(Result, { label: "mixed/internal" }), "summarise"], {
//     capabilities: ["agent:research:spawn", "agent:summarise:spawn"],
//   });

import type { Json, ManifestText, PipeStage } from "@aos/protocol";
import { defineAgent } from "./define-agent.ts";

type Check = Extract<PipeStage, { check: unknown }>;
type StageText = string | PipeStage;

/** The kernel lets a value pass only if it fits the schema and carries at most the label. */
export const check = (schema: Json, policy: Omit<Check["check"], "schema"> = {}): Check => ({
  check: { schema: schema as Check["check"]["schema"], ...policy },
});

export function pipe(
  name: string,
  stages: readonly StageText[],
  more: Omit<ManifestText, "apiVersion" | "kind" | "name" | "stages"> = {},
): ManifestText {
  return defineAgent({
    apiVersion: "aos/v1",
    kind: "Pipe",
    name,
    stages: stages.map((stage) => (typeof stage === "string" ? { agent: stage } : stage)),
    ...more,
  });
}
