// Manifest: the description of an agent. It is parsed once, frozen at spawn, and identified by its hash.

import { z } from "zod";
import { agentRoleSchema, roleName } from "./agent-role.ts";
import { goalFlaws, plannerFields } from "./goal-fields.ts";
import { schemaFlaw } from "./body-schema.ts";
import { escalations, type Escalation } from "./escalation.ts";
import type { Json } from "./json.ts";
import { lanes } from "./lane.ts";
import { mountDeclarations, type MountDeclaration } from "./mount-declaration.ts";
import { readBytes, readCount, readDurationMs } from "./quantity.ts";
import { efforts } from "./syscalls.ts";
import { workflowFields } from "./workflow/fields.ts";
import { type WorkflowFlaw, workflowManifestFlaws } from "./workflow/flaws.ts";
import { eachStep, type WorkflowStep, stepManifest } from "./workflow/step.ts";
import { writtenQuantity } from "./written-quantity.ts";

const duration = writtenQuantity(readDurationMs, "duration");

const count = writtenQuantity(readCount);
const usd = z.number().nonnegative();

/** Limits of all runs of the agent in its tenant, in one UTC hour, day or month. */
const allowance = (period: string) =>
  z
    .strictObject({
      usd: usd.optional().describe(`Dollars of all runs of the agent in one UTC ${period}.`),
      tokens: count.optional().describe(`Tokens of all runs of the agent in one UTC ${period}.`),
      toolCalls: count
        .optional()
        .describe(`Tools run by all runs of the agent in one UTC ${period}.`),
    })
    .optional();

export const restartSchema = z.strictObject({
  on: z
    .array(z.enum(["crash", "error"]))
    .min(1)
    .describe(
      "Ends after which the program starts again. crash: the executable died. error: the program threw, or returned an exit code other than 0. Without `restart`: crash.",
    ),
  max: z
    .number()
    .int()
    .positive()
    .default(3)
    .describe(
      "Restarts within `restart.within`; then it fails, and so does its parent if it lists the case.",
    ),
  within: duration.default(60_000).describe("Window of `restart.max`."),
  backoff: duration
    .default(100)
    .describe("Delay before the first restart; it doubles, up to 30 s."),
});

const bodySchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const flaw = schemaFlaw(schema as Json);
  if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
});

const pipeStage = z.union([
  z.strictObject({
    agent: z.string().min(1).max(200),
    /** Narrows what its manifest grants. */
    capabilities: z.array(z.string().min(1)).optional(),
    /** It begins with the stage before, and takes its items while that one gives them. */
    stream: z.literal(true).optional(),
  }),
  /** What may pass from the stage before to the next. */
  z.strictObject({
    check: z.strictObject({
      schema: bodySchema.optional(),
      /** The most that its label may be, e.g. `mixed/internal`. */
      label: z.string().min(1).max(100).optional(),
      /** Raises untrusted to mixed: for a strict schema, after a stage without power. */
      endorse: z.boolean().optional(),
    }),
  }),
]);
export type PipeStage = z.output<typeof pipeStage>;

export const manifestSchema = z
  .strictObject({
    apiVersion: z.literal("aos/v1").describe("Version of this format."),
    kind: z
      .enum(["Agent", "Pipe", "Goal", "Workflow"])
      .describe(
        "A Pipe runs agents one after another; a Goal plans work and gives it to roles; a Workflow runs named steps.",
      ),
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit",
      )
      .describe(
        "Name in `aos ps`, budgets, policy conditions and `agent:` capabilities: 1 to 63 of `a-z 0-9 . _ -`, first a letter or digit.",
      ),
    description: z
      .string()
      .max(1000)
      .optional()
      .describe("Shown by `aos agent ls`, to MCP clients and in `/v1/models`."),
    program: z
      .string()
      .min(1)
      .optional()
      .describe("Built-in or registered program that runs the agent. Default: `agent`."),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        "Foreign program in place of `program`: executable and arguments; relative paths start at the folder of the manifest.",
      ),
    model: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe(
        "`provider/model`. A list is a ladder: the first is used, and the next after an event of `escalate_on`. The program `agent` needs one.",
      ),
    escalate_on: z
      .array(z.enum(escalations))
      .optional()
      .describe("Events that switch to the next model of the ladder."),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe("Sent with each model request. Default: the vendor's."),
    effort: z.enum(efforts).optional().describe("Reasoning effort. Default: the vendor's."),
    maxTokens: count
      .optional()
      .describe("Limit of one answer, reasoning included. Default: the model's longest answer."),
    system: z.string().optional().describe("First part of the system prompt."),
    tools: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Names of tools offered to the model; `*` at the end matches any rest. Grants nothing.",
      ),
    skills: z
      .array(z.string().min(1))
      .optional()
      .describe("Names of skills that the agent may read; `*` at the end matches any rest."),
    mounts: mountDeclarations
      .optional()
      .describe("Connectors below /mnt, by name; each needs its own grants."),
    capabilities: z
      .array(z.string().min(1))
      .default([])
      .describe("The capabilities of the process. A call that needs another one is refused."),
    budget: z
      .strictObject({
        usd: usd.optional().describe("Dollars for models, of a run with everything it spawns."),
        tokens: count.optional().describe("Model tokens, input and output."),
        toolCalls: count.optional().describe("Tools run."),
        wall: duration.optional().describe("Time since the program first ran."),
        hour: allowance("hour"),
        day: allowance("day"),
        month: allowance("month"),
      })
      .default({}),
    lane: z
      .enum(lanes)
      .optional()
      .describe(
        "Priority. A child's manifest can only lower it. Default: the parent's, else normal.",
      ),
    deadline: duration
      .optional()
      .describe("Time from the start by which the process should end; it orders the queues."),
    onDeadline: z
      .enum(["continue", "end"])
      .optional()
      .describe("end: at the deadline the tree ends with exit code 66. Default: continue."),
    timeouts: z
      .strictObject({
        model: duration
          .optional()
          .describe("Longest time of one model request with its retries; then ETIMEDOUT."),
      })
      .optional(),
    ttl: z
      .strictObject({
        hops: z
          .number()
          .int()
          .nonnegative()
          .optional()
          .describe("How many spawns deep the tree may go from here."),
        wall: duration
          .optional()
          .describe("Longest life of the tree, waiting and pauses included; then exit code 66."),
      })
      .optional(),
    confidence: z
      .strictObject({
        threshold: z.number().min(0).max(1).describe("Lowest accepted confidence of the model."),
        below: z
          .enum(["decline", "answer"])
          .default("decline")
          .describe("decline: no answer and exit code 101. answer: the answer and exit code 102."),
      })
      .optional(),
    context: z
      .strictObject({
        compactAt: z
          .number()
          .min(0.1)
          .max(0.95)
          .optional()
          .describe("Part of the model's window at which the context is compacted. Default: 0.7."),
        keep: z
          .number()
          .int()
          .positive()
          .optional()
          .describe("Newest messages that a compaction leaves as they are. Default: 6."),
        window: count
          .optional()
          .describe("Tokens to use of the model's window. Default: all of it."),
        summarizer: z
          .string()
          .min(1)
          .optional()
          .describe(
            "`provider/model` that writes summaries; it needs its own capability. Default: the agent's model.",
          ),
      })
      .optional(),
    persistent: z
      .boolean()
      .optional()
      .describe("The agent stays alive after its answer and waits for the next message."),
    history: z
      .strictObject({
        messages: z
          .number()
          .int()
          .positive()
          .optional()
          .describe("Newest messages that a persistent agent keeps word for word."),
        tokens: count.optional().describe("The same in tokens."),
      })
      .optional(),
    restart: restartSchema.optional(),
    memory: z
      .strictObject({
        episodes: z
          .union([z.boolean(), z.literal("trusted")])
          .optional()
          .describe(
            "Failures at similar tasks are shown before a task, and the task is recorded; needs `search` and `write` below /mem/episodic. trusted: only trusted experience. Default: true if granted.",
          ),
        extract: z
          .enum(["off", "rules", "model"])
          .optional()
          .describe("Keeps what people state in a task as facts. Default: off."),
        model: z
          .string()
          .min(1)
          .optional()
          .describe(
            "`provider/model` that extracts; it needs its own capability. Default: the agent's model.",
          ),
        maxBytes: writtenQuantity(readBytes, "bytes")
          .optional()
          .describe("Limit of its long-term memory, at most `limits.spaceBytes` of config.yaml."),
        maxFiles: count
          .optional()
          .describe("The same in files, at most `limits.spaceFiles` of config.yaml."),
      })
      .optional(),
    mailbox: z
      .strictObject({
        schema: bodySchema.describe("JSON Schema of the messages that it accepts."),
      })
      .optional(),
    stages: z
      .array(pipeStage)
      .min(1)
      .max(32)
      .optional()
      .describe("Of a Pipe: its agents, and checks between them."),
    pipefail: z
      .boolean()
      .optional()
      .describe("Of a Pipe: the first stage that fails ends it. Default: true."),
    roles: z
      .array(z.union([roleName, agentRoleSchema]))
      .max(100)
      .optional()
      .describe("Of a Goal: the roles that it may give work to, by name or in full."),
    planner: plannerFields.optional(),
    ...workflowFields,
    output: z
      .strictObject({
        schema: z
          .record(z.string(), z.unknown())
          .describe(
            "JSON Schema of the answer; the program `agent` checks it, with two attempts at repair.",
          ),
      })
      .optional(),
    limits: z
      .strictObject({
        maxSteps: z
          .number()
          .int()
          .positive()
          .optional()
          .describe(
            "Model requests of the program `agent` before it fails with ETIMEDOUT. Default: 50.",
          ),
      })
      .default({}),
  })
  .superRefine((manifest, context) => {
    if (manifest.program !== undefined && manifest.command !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["command"],
        message: "a manifest has a program or a command, not both",
      });
    }
    const { kind, planner } = manifest;
    const ofGoal = kind === "Goal" || planner !== undefined ? goalFlaws(manifest) : [];
    const flaws = [...uselessIn(manifest), ...pipeFlaws(manifest), ...ofGoal];
    for (const [field, message] of flaws)
      context.addIssue({ code: "custom", path: [field], message });
    if (kind === "Workflow" || workflowNames.some((field) => manifest[field] !== undefined))
      for (const { path, message } of [
        ...workflowManifestFlaws(manifest),
        ...inlineFlaws(manifest.steps ?? []),
      ])
        context.addIssue({ code: "custom", path: [...path], message });
  });

const workflowNames = Object.keys(workflowFields) as (keyof typeof workflowFields)[];

/** An agent that is written in a step is a manifest of its own. */
function* inlineFlaws(steps: readonly WorkflowStep[]): Generator<WorkflowFlaw> {
  for (const { id, agent } of eachStep(steps)) {
    if (typeof agent !== "object") continue;
    const { error } = manifestSchema.safeParse(stepManifest(agent));
    for (const { path, message } of error?.issues ?? [])
      yield { path: ["steps", id, "agent", ...path.map(String)], message };
  }
}

/** What is said and could never come to anything. */
function uselessIn(manifest: LadderWords) {
  const { model, escalate_on = [], confidence, history, persistent, mounts = {} } = manifest;
  const { memory = {}, capabilities } = manifest;
  const useless: [field: string, message: string][] = [];
  for (const [name, { integrity, driver }] of Object.entries(mounts)) {
    if (integrity === "trusted")
      useless.push(["mounts", `${name}: only config.yaml may say that a mount is trusted`]);
    if (driver === "postgres" || driver === "pgvector")
      useless.push(["mounts", `${name}: a PostgreSQL database is mounted by config.yaml only`]);
  }
  if (escalate_on.length > 0 && (model === undefined || [model].flat().length < 2))
    useless.push(["escalate_on", "needs a `model` that is a list of two or more"]);
  if (escalate_on.includes("low_confidence") && confidence === undefined)
    useless.push(["escalate_on", "low_confidence needs `confidence` with its threshold"]);
  const { episodes = false, extract = "off", model: extractor } = memory;
  const isKept = episodes !== false || extract !== "off";
  if (isKept && !capabilities.some((text) => text.includes("/mem/")))
    useless.push([
      "memory",
      "needs capabilities for /mem/episodic (episodes), /mem/semantic (extract)",
    ]);
  if (extractor !== undefined && extract !== "model")
    useless.push(["memory", "model needs `extract: model`"]);
  if (history !== undefined && persistent !== true)
    useless.push(["history", "is for an agent that is `persistent`"]);
  return useless;
}

/** A pipe is its stages and nothing else that runs; other kinds have none. */
function* pipeFlaws(manifest: {
  readonly kind: "Agent" | "Pipe" | "Goal" | "Workflow";
  readonly stages?: readonly PipeStage[] | undefined;
  readonly [field: string]: unknown;
}): Generator<[field: string, message: string]> {
  const { kind, stages } = manifest;
  if (kind !== "Pipe") {
    for (const field of ["stages", "pipefail"])
      if (manifest[field] !== undefined) yield [field, "is for `kind: Pipe`"];
    return;
  }
  for (const field of ["program", "command", "model", "system", "output"])
    if (manifest[field] !== undefined) yield [field, "is not for `kind: Pipe`: its stages have it"];
  if (stages === undefined) return yield ["stages", "a Pipe needs stages"];
  for (const [nth, stage] of stages.entries()) {
    if ("agent" in stage) {
      if (nth === 0 && stage.stream === true)
        yield ["stages", "the first stage has none before it to take items of"];
      continue;
    }
    const before = stages[nth - 1];
    if (before === undefined || !("agent" in before))
      yield ["stages", "a check follows a stage with an agent"];
    const { schema, label, endorse } = stage.check;
    if (schema === undefined && (label === undefined || endorse === true))
      yield ["stages", "a check has a schema, or a label, and endorses by a schema only"];
    if (endorse === true && label !== undefined)
      yield ["stages", "a check endorses, or has a label, not both"];
  }
}

interface LadderWords {
  readonly model?: string | string[] | undefined;
  readonly escalate_on?: Escalation[] | undefined;
  readonly confidence?: unknown;
  readonly history?: unknown;
  readonly persistent?: boolean | undefined;
  readonly capabilities: readonly string[];
  readonly memory?:
    | {
        readonly episodes?: boolean | "trusted" | undefined;
        readonly extract?: string | undefined;
        readonly model?: string | undefined;
      }
    | undefined;
  readonly mounts?: Readonly<Record<string, MountDeclaration>> | undefined;
}

/** As people write it. */
export type ManifestText = z.input<typeof manifestSchema>;
/** As the kernel holds it: defaults filled in, quantities in their units. */
export type Manifest = z.output<typeof manifestSchema>;

/** Whether a list of names, as manifests and skills have them, has the name. `*` at the end matches any rest. */
export const isNamed = (name: string, names: readonly string[]): boolean =>
  names.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one));

/** The program that a manifest runs: `command` for a foreign one. */
const programOfKind: Readonly<Record<string, string>> = {
  Pipe: "pipe",
  Goal: "plan",
  Workflow: "workflow",
};

export const programOf = ({ kind, program, command }: Manifest): string =>
  programOfKind[kind] ?? program ?? (command === undefined ? "agent" : "command");
