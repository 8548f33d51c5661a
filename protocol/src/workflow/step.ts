// Step: one step of a workflow as it is written. A step does exactly one thing (an act); all else says when, how often,
// how long and how it is taken back.

import { z } from "zod";
import { workBudget } from "../agent-role.ts";
import { schemaFlaw } from "../body-schema.ts";
import type { Json, JsonObject } from "../json.ts";
import { readDurationMs } from "../quantity.ts";
import { onDoubtChoices } from "../syscalls.ts";
import { writtenQuantity } from "../written-quantity.ts";

export const workflowLimits = {
  steps: 256,
  depth: 6,
  loop: 1000,
  items: 1000,
  parallel: 64,
  attempts: 100,
  bytes: 131_072,
} as const;

const json = z.unknown() as unknown as z.ZodType<Json>;
const AGENT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** The rest of it is checked as every manifest of a child is, before anything runs. */
const writtenAgent = z.custom<InlineAgent>((value) => {
  const { name } = (value ?? {}) as { name?: unknown };
  return typeof name === "string" && AGENT_NAME.test(name);
}, "a name, or a manifest with a name of its own");
const duration = writtenQuantity(readDurationMs, "duration");
const name = z.string().min(1).max(200);

export const stepId = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,39}$/, "1 to 40 letters, digits, _ or -, first no digit");

export const signalId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,62}$/, "1 to 63 letters, digits, _ . or -, first a letter");

export const valueSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const flaw = schemaFlaw(schema as Json);
  if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
}) as unknown as z.ZodType<JsonObject>;

export const retryFields = z.strictObject({
  max: z.number().int().min(1).max(workflowLimits.attempts).default(3),
  backoff: duration.default(1000),
  factor: z.number().min(1).max(10).default(2),
  maxBackoff: duration.default(60_000),
  /** The part of the delay that chance may take off. */
  jitter: z.number().min(0).max(1).default(0.2),
  /** Codes of failures that no attempt follows. */
  except: z.array(z.string().min(1).max(40)).max(40).default([]),
});
export type StepRetry = z.output<typeof retryFields>;

/** The call that takes a step back. */
export const undoCall = z.strictObject({
  tool: name,
  args: json.default({}),
  retry: retryFields.optional(),
  timeout: duration.optional(),
  /** After a crash in the middle of it. */
  onDoubt: z.enum(onDoubtChoices).optional(),
});
export type UndoCall = z.output<typeof undoCall>;

const shared = {
  id: stepId,
  after: z.array(stepId).max(workflowLimits.steps).optional(),
  if: z.string().min(1).optional(),
  retry: retryFields.optional(),
  timeout: duration.optional(),
  budget: workBudget.optional(),
  capabilities: z.array(z.string().min(1)).max(100).optional(),
  onDoubt: z.enum(onDoubtChoices).optional(),
  output: z.strictObject({ schema: valueSchema }).optional(),
  undo: undoCall.optional(),
};

/** An agent that is written where it is used; `apiVersion` and `kind` go without saying. */
export interface InlineAgent {
  readonly name: string;
  readonly output?: { readonly schema: JsonObject } | undefined;
}

/** What a step can do: it has exactly one of these. */
export const acts = [
  "tool",
  "agent",
  "program",
  "workflow",
  "steps",
  "parallel",
  "map",
  "branch",
  "loop",
  "wait",
  "ask",
  "sleep",
] as const;
export type Act = (typeof acts)[number];

interface SharedFields {
  readonly id: string;
  /** The steps that come first; by default the one before it in the list. */
  readonly after?: readonly string[] | undefined;
  readonly if?: string | undefined;
  readonly retry?: StepRetry | undefined;
  readonly timeout?: number | undefined;
  readonly budget?: z.output<typeof workBudget> | undefined;
  readonly capabilities?: string[] | undefined;
  readonly onDoubt?: (typeof onDoubtChoices)[number] | undefined;
  readonly output?: { readonly schema: JsonObject } | undefined;
  readonly undo?: UndoCall | undefined;
}

export interface WorkflowStep extends SharedFields {
  readonly tool?: string | undefined;
  readonly args?: Json | undefined;
  /** A name, or what the agent is. */
  readonly agent?: string | InlineAgent | undefined;
  readonly program?: string | undefined;
  readonly workflow?: string | undefined;
  readonly input?: Json | undefined;
  readonly steps?: readonly WorkflowStep[] | undefined;
  readonly parallel?: readonly WorkflowStep[] | undefined;
  readonly map?:
    | {
        readonly over: Json;
        readonly limit: number;
        readonly steps: readonly WorkflowStep[];
      }
    | undefined;
  readonly branch?:
    | readonly { readonly if?: string | undefined; readonly steps: readonly WorkflowStep[] }[]
    | undefined;
  readonly loop?:
    | {
        readonly max: number;
        readonly until?: string | undefined;
        readonly steps: readonly WorkflowStep[];
      }
    | undefined;
  readonly wait?: { readonly signal: string } | undefined;
  readonly ask?:
    | {
        readonly question: string;
        readonly choices?: string[] | undefined;
        readonly channel?: string | undefined;
      }
    | undefined;
  readonly sleep?: number | { readonly until: Json } | undefined;
}

const inner = z.lazy(() => z.array(workflowStep).min(1).max(workflowLimits.steps)) as z.ZodType<
  WorkflowStep[]
>;

export const workflowStep: z.ZodType<WorkflowStep> = z
  .strictObject({
    ...shared,
    tool: name.optional(),
    args: json.optional(),
    agent: z.union([name, writtenAgent]).optional(),
    program: name.optional(),
    workflow: name.optional(),
    input: json.optional(),
    steps: inner.optional(),
    parallel: inner.optional(),
    map: z
      .strictObject({
        over: json,
        limit: z.number().int().min(1).max(workflowLimits.parallel).default(4),
        steps: inner,
      })
      .optional(),
    branch: z
      .array(z.strictObject({ if: z.string().min(1).optional(), steps: inner }))
      .min(1)
      .max(32)
      .optional(),
    loop: z
      .strictObject({
        max: z.number().int().min(1).max(workflowLimits.loop),
        until: z.string().min(1).optional(),
        steps: inner,
      })
      .optional(),
    wait: z.strictObject({ signal: signalId }).optional(),
    ask: z
      .strictObject({
        question: z.string().min(1).max(4000),
        choices: z.array(z.string().min(1)).min(1).max(20).optional(),
        channel: name.optional(),
      })
      .optional(),
    sleep: z.union([duration, z.strictObject({ until: json })]).optional(),
  })
  .superRefine((step, context) => {
    const said = acts.filter((act) => step[act] !== undefined);
    if (said.length !== 1)
      context.addIssue({
        code: "custom",
        message: `a step does one thing, of ${acts.join(", ")}; this one has ${said.join(" and ") || "none"}`,
      });
    for (const [field, message] of misplaced(step as WorkflowStep, said[0]))
      context.addIssue({ code: "custom", path: [field], message });
  }) as unknown as z.ZodType<WorkflowStep>;

const spawns: ReadonlySet<Act | undefined> = new Set(["agent", "program", "workflow"]);
const waits: ReadonlySet<Act | undefined> = new Set(["wait", "ask"]);

/** Fields that would say nothing: none is read and ignored. */
function* misplaced(
  step: WorkflowStep,
  act: Act | undefined,
): Generator<[field: string, message: string]> {
  const isSpawn = spawns.has(act);
  const isTool = act === "tool";
  const places: readonly [keyof WorkflowStep, boolean, string][] = [
    ["args", isTool, "a tool"],
    ["input", isSpawn, "an agent, a program or a workflow"],
    ["capabilities", isSpawn, "an agent, a program or a workflow"],
    ["budget", isSpawn, "an agent, a program or a workflow"],
    ["onDoubt", isTool, "a tool"],
    ["retry", isTool || isSpawn, "a tool, an agent, a program or a workflow"],
    ["timeout", isTool || isSpawn || waits.has(act), "what runs or waits"],
    ["undo", isTool || isSpawn, "a tool, an agent, a program or a workflow"],
    ["output", isTool || isSpawn, "a tool, an agent, a program or a workflow"],
  ];
  for (const [field, isPlaced, whose] of places)
    if (step[field] !== undefined && !isPlaced) yield [field, `is for a step with ${whose}`];
}

/** A step, and all that are inside of it. */
export function* eachStep(steps: readonly WorkflowStep[]): Generator<WorkflowStep> {
  for (const step of steps) {
    yield step;
    const { map, branch = [], loop } = step;
    const inner = [
      step.steps,
      step.parallel,
      map?.steps,
      loop?.steps,
      ...branch.map((way) => way.steps),
    ];
    for (const list of inner) if (list !== undefined) yield* eachStep(list);
  }
}

export const stepManifest = (agent: InlineAgent) =>
  ({ apiVersion: "aos/v1", kind: "Agent", capabilities: [] as string[], ...agent }) as const;
