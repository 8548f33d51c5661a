// Manifest: the description of an agent. It is parsed once, frozen at spawn, and identified by its hash.

import { z } from "zod";
import { schemaFlaw } from "./body-schema.ts";
import type { Json } from "./json.ts";
import { lanes } from "./lane.ts";
import { mountDeclarations, type MountDeclaration } from "./mount-declaration.ts";
import { readBytes, readCount, readDurationMs } from "./quantity.ts";
import { efforts } from "./syscalls.ts";
import { writtenQuantity } from "./written-quantity.ts";

const duration = writtenQuantity(readDurationMs);

/** What makes an agent climb to the next model of its ladder. */
export const escalations = ["replan", "loop", "cutoff", "low_confidence"] as const;
export type Escalation = (typeof escalations)[number];

/** What may be used up within an hour, a day or a month. */
const allowance = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: writtenQuantity(readCount).optional(),
  toolCalls: writtenQuantity(readCount).optional(),
});

export const restartSchema = z.strictObject({
  on: z.array(z.enum(["crash", "error"])).min(1),
  max: z.number().int().positive().default(3),
  within: duration.default(60_000),
  backoff: duration.default(100),
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
    apiVersion: z.literal("aos/v1"),
    kind: z.enum(["Agent", "Pipe"]),
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit",
      ),
    description: z.string().max(1000).optional(),
    /** A built-in or registered program; `agent` when neither this nor `command` is given. */
    program: z.string().min(1).optional(),
    /** A foreign program: the executable and its arguments. */
    command: z.array(z.string().min(1)).min(1).optional(),
    /** A list is a ladder: the first is used, and the next when something of `escalate_on` happens. */
    model: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    escalate_on: z.array(z.enum(escalations)).optional(),
    temperature: z.number().min(0).max(2).optional(),
    effort: z.enum(efforts).optional(),
    /** The most that one answer may have. */
    maxTokens: writtenQuantity(readCount).optional(),
    system: z.string().optional(),
    tools: z.array(z.string().min(1)).default([]),
    /** The skills that it may read, by name; `*` at the end stands for any rest. */
    skills: z.array(z.string().min(1)).optional(),
    /** Connectors below /mnt, by name: what they reach must be granted too. */
    mounts: mountDeclarations.optional(),
    capabilities: z.array(z.string().min(1)).default([]),
    budget: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: writtenQuantity(readCount).optional(),
        toolCalls: writtenQuantity(readCount).optional(),
        wall: duration.optional(),
        /** Of all runs of this agent together, in the tenant. */
        hour: allowance.optional(),
        day: allowance.optional(),
        month: allowance.optional(),
      })
      .default({}),
    /** How urgent it is, and by when; both may be said at its start instead. */
    lane: z.enum(lanes).optional(),
    deadline: duration.optional(),
    /** end: when its deadline has passed, it ends with exit code 66, and all of its tree. */
    onDeadline: z.enum(["continue", "end"]).optional(),
    /** The longest that one request to a model may take, its tries included. */
    timeouts: z.strictObject({ model: duration.optional() }).optional(),
    /** How many spawns deep a task may go from here, and how long all of its tree may take. */
    ttl: z
      .strictObject({ hops: z.number().int().nonnegative().optional(), wall: duration.optional() })
      .optional(),
    /** What becomes of an answer that the model is less sure of than this. */
    confidence: z
      .strictObject({
        threshold: z.number().min(0).max(1),
        /** decline: no answer, exit code 101. answer: the answer, exit code 102. */
        below: z.enum(["decline", "answer"]).default("decline"),
      })
      .optional(),
    context: z
      .strictObject({
        /** The part of the model's window at which it is made shorter. */
        compactAt: z.number().min(0.1).max(0.95).optional(),
        /** The newest messages that stay as they are. */
        keep: z.number().int().positive().optional(),
        /** Tokens, where less than the model's window is to be used. */
        window: writtenQuantity(readCount).optional(),
        /** Who writes the summaries; the agent's own model unless said. */
        summarizer: z.string().min(1).optional(),
      })
      .optional(),
    /** It lives on after its answer, and waits for the next message. */
    persistent: z.boolean().optional(),
    /** Of a persistent agent: what it remembers word for word. */
    history: z
      .strictObject({
        messages: z.number().int().positive().optional(),
        tokens: writtenQuantity(readCount).optional(),
      })
      .optional(),
    restart: restartSchema.optional(),
    /** What the program `agent` keeps for its later runs. */
    memory: z
      .strictObject({
        /** Experience of its tasks; unless said, where episodic memory is granted. */
        episodes: z.union([z.boolean(), z.literal("trusted")]).optional(),
        /** What a person states in a task: by rules, or by one request to a model. */
        extract: z.enum(["off", "rules", "model"]).optional(),
        /** Who extracts; the agent's own model unless said. */
        model: z.string().min(1).optional(),
        /** The most of its long-term memory, below the limits of the kernel. */
        maxBytes: writtenQuantity(readBytes).optional(),
        maxFiles: writtenQuantity(readCount).optional(),
      })
      .optional(),
    /** What the bodies of messages to it have to fit: others are refused at their senders. */
    mailbox: z
      .strictObject({
        schema: bodySchema,
      })
      .optional(),
    /** Of a Pipe: agents, and the checks between them; and whether a stage that fails ends it. */
    stages: z.array(pipeStage).min(1).max(32).optional(),
    pipefail: z.boolean().optional(),
    output: z.strictObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
    limits: z
      .strictObject({
        maxSteps: z.number().int().positive().optional(),
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
    for (const [field, message] of [...uselessIn(manifest), ...pipeFlaws(manifest)])
      context.addIssue({ code: "custom", path: [field], message });
  });

/** What is said and could never come to anything. */
function uselessIn(manifest: LadderWords) {
  const { model, escalate_on = [], confidence, history, persistent, mounts = {} } = manifest;
  const { memory = {}, capabilities } = manifest;
  const useless: [field: string, message: string][] = [];
  for (const [name, { integrity, driver }] of Object.entries(mounts)) {
    if (integrity === "trusted")
      useless.push(["mounts", `${name}: only config.yaml may say that a mount is trusted`]);
    if (driver === "postgres")
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
  readonly kind: "Agent" | "Pipe";
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
    if ("agent" in stage) continue;
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
export const programOf = ({ kind, program, command }: Manifest): string =>
  kind === "Pipe" ? "pipe" : (program ?? (command === undefined ? "agent" : "command"));
