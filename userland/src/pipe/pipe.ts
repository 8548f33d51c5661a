// Pipe: runs agents one after the other, each with the value of the one before, or, with `stream`, at the same time,
// each with its items. The manifest names the stages; the kernel checks each edge, and this program never sees a value
// that does not fit, and no item.
//
// PIPE-1  A value passes an edge only by a `wait` that has the edge's check as its argument, and a `spawn` that names
//     where it is from. Items pass by the place that the kernel gave a stage when it was spawned.
// PIPE-2  With `pipefail` the first stage that fails ends the pipe with its exit code. Without, what it left goes on,
//     through the same check, and the exit code is the last stage's.
// PIPE-3  What a stage that gives items comes to itself goes nowhere: its end is told with no more than its check lets
//     pass.

import {
  SysError,
  type Ending,
  type Json,
  type Manifest,
  type PipeEdge,
  type PipeStage,
  type Program,
  type Sys,
} from "@aos/protocol";

type AgentStage = Extract<PipeStage, { agent: string }>;
type Check = Extract<PipeStage, { check: unknown }>["check"];
interface Step {
  readonly stage: AgentStage;
  readonly check: Check | undefined;
}

/** What goes into the first of some stages. */
interface Inflow {
  readonly value: Json;
  /** The stage that it is from. */
  readonly from?: string;
}

export const pipeProgram: Program = async (sys, input) => {
  const { stages = [], pipefail = true } = (await sys.read(
    "/self/manifest",
  )) as unknown as Manifest;
  let flow: Inflow = { value: input };
  const flights = concurrent(stepsOf(stages));
  for (const steps of flights) {
    const isLast = steps === flights.at(-1);
    const last = await run(
      sys,
      steps,
      flow,
      (nth) => pipefail || (isLast && nth === steps.length - 1),
    );
    flow = { value: last.output, from: last.pid };
  }
  return flow.value;
};

/** Stages that run at the same time, and how the last of them ended. */
async function run(
  sys: Sys,
  steps: readonly Step[],
  flow: Inflow,
  mustComplete: (nth: number) => boolean,
): Promise<Ending> {
  const pids = await spawnAll(sys, steps, flow);
  const endings = await Promise.all(
    pids.map(async (pid, nth) => {
      const next = pids[nth + 1];
      const { stage, check } = steps[nth]!;
      const ending = await sys.wait(pid, next === undefined ? valueEdge(check) : endEdge(check)); // PIPE-1, PIPE-3
      if (ending.state !== "completed" && mustComplete(nth)) await fail(sys, stage, ending);
      if (next !== undefined) await sayEnd(sys, next, ending);
      return ending;
    }),
  );
  return endings.at(-1)!;
}

/** The last first: each has to know to whom its items go. */
async function spawnAll(
  sys: Sys,
  steps: readonly Step[],
  { value, from }: Inflow,
): Promise<string[]> {
  const pids: string[] = [];
  for (const [nth, { stage, check }] of [...steps.entries()].reverse()) {
    const { agent, capabilities } = stage;
    const to = pids[0];
    const isFirst = nth === 0;
    const place = {
      ...(isFirst ? {} : { in: true as const }),
      ...(to === undefined ? {} : { out: { to, ...itemEdge(check) } }),
    };
    const pid = await sys.spawn(agent, isFirst ? value : null, {
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(isFirst && from !== undefined ? { from } : {}),
      ...(steps.length === 1 ? {} : { pipe: place }),
    });
    pids.unshift(pid);
  }
  return pids;
}

/** PIPE-2. */
function fail(
  sys: Sys,
  { agent }: AgentStage,
  { pid, state, exitCode, error }: Ending,
): Promise<never> {
  const why = error === null ? "" : `: ${error.code} ${error.message}`;
  return sys.exit(exitCode ?? 1, null, `stage ${agent} (${pid}) ${state}${why}`);
}

/** After its items, whatever their lane: it goes by the last. */
async function sayEnd(sys: Sys, to: string, { state, exitCode }: Ending): Promise<void> {
  const stream = { id: "pipe:in", end: true };
  try {
    await sys.send(to, { state, exitCode }, { type: "end", stream, lane: "background" });
  } catch (error) {
    if (!(error instanceof SysError)) throw error; // it has ended, and needs to be told nothing
  }
}

/** Each agent with the check that follows it. */
function stepsOf(stages: readonly PipeStage[]): Step[] {
  return stages.flatMap((stage, nth): Step[] => {
    if (!("agent" in stage)) return [];
    const next = stages[nth + 1];
    return [{ stage, check: next === undefined || "agent" in next ? undefined : next.check }];
  });
}

/** The steps that run together: one that streams runs with the one before. */
function concurrent(steps: readonly Step[]): Step[][] {
  const together: Step[][] = [];
  for (const step of steps)
    if (step.stage.stream === true && together.length > 0) together.at(-1)!.push(step);
    else together.push([step]);
  return together;
}

type WaitEdge = { readonly schema?: Json; readonly label?: string; readonly endorse?: Json };

function valueEdge({ schema, label, endorse }: Check = {}): WaitEdge {
  if (endorse === true) return { endorse: schema as Json };
  return {
    ...(schema === undefined ? {} : { schema: schema as Json }),
    ...(label === undefined ? {} : { label }),
  };
}

/** PIPE-3. */
function endEdge({ label, endorse }: Check = {}): WaitEdge {
  if (endorse === true) return { endorse: { type: "null" } };
  return label === undefined ? {} : { label };
}

function itemEdge({ schema, label, endorse }: Check = {}): PipeEdge {
  return {
    ...(schema === undefined ? {} : { schema: schema as Json }),
    ...(label === undefined ? {} : { label }),
    ...(endorse === true ? { endorse } : {}),
  };
}
