// Scorers: how a run of an evaluation is judged. Each gives a score from 0 to 1, or none.
//
// SCORER-1  A scorer is data: what it may do is said by its type alone. Only `code` runs a program, and only `judge` asks
//     a model.

import { z } from "zod";
import type { Json } from "../json.ts";
import { schemaFlaw } from "../body-schema.ts";
import { readDurationMs } from "../quantity.ts";
import { writtenQuantity } from "../written-quantity.ts";

const scorerName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "1 to 40 of a-z 0-9 _ -");
const json = z.unknown() as unknown as z.ZodType<Json>;
const words = z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(100)]);

const common = {
  name: scorerName.optional().describe("Name in reports and thresholds. Default: the type."),
  gate: z
    .boolean()
    .default(true)
    .describe("Whether a run has to pass it. false: it is measured, and fails nothing."),
};

const ofOutput = {
  field: z
    .string()
    .max(200)
    .optional()
    .describe("A field of an output that is JSON, as `answer.city`. Default: all of it."),
};

const ignoreCase = z.boolean().default(false);
const negated = z.boolean().default(false).describe("Passes where it would fail.");

const schema = z.record(z.string(), z.unknown()).superRefine((given, context) => {
  const flaw = schemaFlaw(given as Json);
  if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
});

export const evalScorer = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("exact"),
    ...common,
    ...ofOutput,
    value: json.optional().describe("What it has to be. Default: `{{expected}}`."),
    ignoreCase,
  }),
  z.strictObject({
    type: z.literal("contains"),
    ...common,
    ...ofOutput,
    value: words.optional().describe("A text or several. Default: `{{expected}}`."),
    any: z.boolean().default(false).describe("One of several is enough."),
    not: negated,
    ignoreCase,
  }),
  z.strictObject({
    type: z.literal("regex"),
    ...common,
    ...ofOutput,
    pattern: z.string().min(1).max(2000),
    flags: z
      .string()
      .regex(/^[ims]{0,3}$/, "of i, m and s")
      .default(""),
    not: negated,
  }),
  z.strictObject({ type: z.literal("schema"), ...common, ...ofOutput, schema }),
  z.strictObject({
    type: z.literal("number"),
    ...common,
    ...ofOutput,
    value: z.union([z.number(), z.string().min(1)]).optional(),
    tolerance: z.number().nonnegative().default(0).describe("The most that it may differ by."),
    relative: z.number().nonnegative().default(0).describe("The same as a part of the value."),
  }),
  z.strictObject({
    type: z.literal("code"),
    ...common,
    command: z.array(z.string().min(1).max(1000)).min(1).max(50),
    files: z.array(z.string().min(1).max(200)).max(20).default([]),
    timeout: writtenQuantity(readDurationMs, "duration").default(30_000),
    threshold: z.number().min(0).max(1).default(1),
  }),
  z.strictObject({
    type: z.literal("judge"),
    ...common,
    ...ofOutput,
    model: z.string().min(3).max(200),
    rubric: z.string().min(1).max(20_000),
    threshold: z.number().min(0).max(1).default(0.5).describe("The lowest score that passes."),
    maxUsd: z.number().positive().default(0.05).describe("The most that one verdict may cost."),
  }),
  z.strictObject({ type: z.literal("cost"), ...common, maxUsd: z.number().nonnegative() }),
  z.strictObject({
    type: z.literal("latency"),
    ...common,
    max: writtenQuantity(readDurationMs, "duration"),
  }),
  z.strictObject({
    type: z.literal("steps"),
    ...common,
    max: z.number().int().nonnegative().describe("Requests to models."),
  }),
  z.strictObject({
    type: z.literal("calls"),
    ...common,
    includes: z.array(z.string().min(1)).max(100).default([]).describe("Tools that were called."),
    excludes: z.array(z.string().min(1)).max(100).default([]).describe("Tools that were not."),
    order: z
      .array(z.string().min(1))
      .max(100)
      .default([])
      .describe("Tools in this order; others may be between."),
    only: z.array(z.string()).max(200).optional().describe("These tools, and nothing else."),
    max: z.number().int().nonnegative().optional(),
    maxRefused: z.number().int().nonnegative().optional().describe("Calls that were refused."),
  }),
  z.strictObject({
    type: z.literal("exit"),
    ...common,
    code: z.number().int().min(0).max(255).default(0),
  }),
]);

export type EvalScorer = z.output<typeof evalScorer>;

export const scorerNameOf = ({ name, type }: Pick<EvalScorer, "name" | "type">): string =>
  name ?? type;
