// Expectations, as people write them under `expect` of a test. Each is checked (expectations.ts); one that
// is not known is an error, and so is a test without any.

import {
  failures,
  processStates,
  syscalls,
  type FailureCode,
  type Json,
  type ProcessState,
} from "@aos/protocol";
import { z } from "zod";
import { flawsIn } from "./value-schema.ts";

export const jsonSchema = z.custom<Json>((value) => value !== undefined);
export const failureCodeSchema = z.enum(Object.keys(failures) as [FailureCode, ...FailureCode[]]);
const texts = z
  .union([z.string(), z.array(z.string()).min(1)], { error: "expected a text or a list of texts" })
  .transform((text) => (typeof text === "string" ? [text] : text));
const count = z.number().int().nonnegative();

const saysSomething = (value: object): boolean => Object.keys(value).length > 0;

/** JSON Schema; what in it would not be checked is refused. */
const valueSchema = jsonSchema.superRefine((schema, context) => {
  for (const { at, message } of flawsIn(schema))
    context.addIssue({ code: "custom", path: [...at], message });
});

const valueFields = {
  equals: jsonSchema.optional(),
  contains: texts.optional(),
  excludes: texts.optional(),
};
const sayOne = { message: "expects nothing: say equals, contains, excludes or matches" };

const callFields = {
  tool: z.string().min(1).optional(),
  /** A system call that is no `exec`: `spawn`, `write`, … */
  call: z.enum(Object.keys(syscalls) as [string, ...string[]]).optional(),
  /** The arguments that must be there; others may be. */
  args: jsonSchema.optional(),
};
const isOne = ({ tool, call }: { tool?: unknown; call?: unknown }): boolean =>
  (tool === undefined) !== (call === undefined);
const nameOne = { message: "name either a tool or a call" };

/** `file.read` is short for `{ tool: file.read }`. */
const named = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === "string" ? { tool: value } : value), schema);

const call = named(
  z
    .strictObject({ ...callFields, outcome: z.enum(["ok", "failed", "refused"]).optional() })
    .refine(isOne, nameOne),
);
const refusal = named(
  z
    .strictObject({
      ...callFields,
      code: failureCodeSchema.optional(),
      rule: z.string().min(1).optional(),
    })
    .refine(isOne, nameOne),
);

/** A list is short for `{ exactly: list }`. */
const listed = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? { exactly: value as unknown[] } : value),
    z
      .strictObject({
        /** All of them, in this order. */
        exactly: z.array(item).optional(),
        includes: z.array(item).optional(),
        excludes: z.array(item).optional(),
      })
      .refine(saysSomething, { message: "expects nothing: say exactly, includes or excludes" }),
  );

export const expectSchema = z
  .strictObject({
    output: z
      .strictObject({ ...valueFields, matches: valueSchema.optional() })
      .refine(saysSomething, sayOne)
      .optional(),
    exitCode: count.optional(),
    state: z.enum(processStates as unknown as [ProcessState, ...ProcessState[]]).optional(),
    error: z
      .strictObject({ code: failureCodeSchema.optional(), contains: texts.optional() })
      .refine(saysSomething, { message: "expects nothing: say code or contains" })
      .optional(),
    /** Tools called for, whether or not the gate let them. */
    calls: listed(call).optional(),
    refused: listed(refusal).optional(),
    cost: z
      .strictObject({
        maxUsd: z.number().nonnegative().optional(),
        maxTokens: count.optional(),
        maxToolCalls: count.optional(),
      })
      .refine(saysSomething, { message: "expects nothing: say maxUsd, maxTokens or maxToolCalls" })
      .optional(),
    label: z.string().min(1).optional(),
    /** Requests to models. */
    infers: count.optional(),
    /** Every request to a model is what it was when it was recorded. */
    requests: z.literal("recorded").optional(),
    /** What is in the workspace at the end. */
    files: z
      .record(
        z.string().startsWith("/work/", "a file of a test is below /work/"),
        z
          .strictObject({ ...valueFields, absent: z.literal(true).optional() })
          .refine(saysSomething, { message: "expects nothing: say equals, contains or absent" }),
      )
      .optional(),
  })
  .refine(saysSomething, { message: "expects nothing, and so could not fail" });

export type Expectations = z.output<typeof expectSchema>;
export type ExpectedValue = NonNullable<Expectations["output"]>;
export type ExpectedCall = NonNullable<NonNullable<Expectations["calls"]>["exactly"]>[number];
export type ExpectedRefusal = NonNullable<NonNullable<Expectations["refused"]>["exactly"]>[number];
export type Listed<Item> = {
  readonly exactly?: readonly Item[] | undefined;
  readonly includes?: readonly Item[] | undefined;
  readonly excludes?: readonly Item[] | undefined;
};
