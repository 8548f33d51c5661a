// FROZEN as version 1 of `pipe`.
//
// Pipe: runs agents one after the other, each with the value of the one before. The manifest names the stages; the
// kernel checks each edge (`wait` with `schema`, `label` or `endorse`), and this program never sees a value that does not
// fit.
//
// PIPE-1  A value passes an edge only by a `wait` that has the edge's check as its argument.
// PIPE-2  With `pipefail` the first stage that fails ends the pipe with its exit code. Without, what it left goes on,
//     through the same check, and the exit code is the last stage's.

import type { Json, Manifest, PipeStage, Program } from "@aos/protocol";

type AgentStage = Extract<PipeStage, { agent: string }>;
interface Edge {
  readonly schema?: Json;
  readonly label?: string;
  readonly endorse?: Json;
}

interface Step {
  readonly stage: AgentStage;
  readonly edge: Edge;
}

export const pipe1: Program = async (sys, input) => {
  const { stages = [], pipefail = true } = (await sys.read(
    "/self/manifest",
  )) as unknown as Manifest;
  let value = input;
  for (const { stage, edge } of stepsOf(stages)) {
    const { agent, capabilities } = stage;
    const pid = await sys.spawn(agent, value, capabilities === undefined ? {} : { capabilities });
    const { state, exitCode, output, error } = await sys.wait(pid, edge); // PIPE-1
    value = output;
    if (state === "completed" || (!pipefail && stage !== lastOf(stages))) continue;
    const why = error === null ? "" : `: ${error.code} ${error.message}`;
    await sys.exit(exitCode ?? 1, null, `stage ${agent} (${pid}) ${state}${why}`); // PIPE-2
  }
  return value;
};

const lastOf = (stages: readonly PipeStage[]): AgentStage | undefined =>
  stages.findLast((stage): stage is AgentStage => "agent" in stage);

/** Each agent with the check that follows it. */
function stepsOf(stages: readonly PipeStage[]): Step[] {
  const steps: Step[] = [];
  for (const [nth, stage] of stages.entries()) {
    if (!("agent" in stage)) continue;
    const next = stages[nth + 1];
    steps.push({ stage, edge: next === undefined || "agent" in next ? {} : edgeOf(next.check) });
  }
  return steps;
}

const edgeOf = ({
  schema,
  label,
  endorse,
}: Extract<PipeStage, { check: unknown }>["check"]): Edge =>
  endorse === true
    ? { endorse: schema as Json }
    : {
        ...(schema === undefined ? {} : { schema: schema as Json }),
        ...(label === undefined ? {} : { label }),
      };
