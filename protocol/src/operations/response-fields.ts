// Response schemas that many operations share. `named` gives a schema its name in the OpenAPI document.
//
// RESPONSE-FIELDS-1  A response has exactly the fields of its schema: every object is strict.

import { z } from "zod";
import { failures, type FailureCode, type FailureText } from "../failures.ts";
import type { ProcessId } from "../ids.ts";
import type { Json } from "../json.ts";
import { integrities, secrecies, type Colour, type Label } from "../label.ts";
import type { Touch } from "../ports.ts";
import { signalNames } from "../signals.ts";

/** The schemas that have a name, by their names. */
export const namedSchemas = new Map<string, z.ZodType>();

export function named<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  namedSchemas.set(id, schema);
  return schema;
}

export const pid = named(
  "ProcessId",
  z
    .string()
    .regex(/^agt_[0-9a-hjkmnp-tv-z]{26}$/)
    .describe("The id of a process."),
) as unknown as z.ZodType<ProcessId>;

/** ISO 8601, in UTC. */
export const moment = z.iso.datetime();
export const count = z.int().nonnegative();
export const seq = count.describe("The number of a record in its process's journal, from 0.");
/** Money, durations and other sums that are never below nothing. */
export const amount = z.number().nonnegative();
export const text = z.string();
export const names = z.array(z.string());

export const jsonValue: z.ZodType<Json> = named(
  "Json",
  z.custom<Json>((value) => value !== undefined).describe("Any JSON value."),
);

export const signalName = named("SignalName", z.enum(signalNames));

export const failureCode = named(
  "FailureCode",
  z
    .enum(Object.keys(failures) as FailureCode[])
    .describe("The failure code, the same in a system call, on the command line and here."),
);

const failureFields = {
  code: failureCode,
  message: z.string(),
  hint: z.string().describe("What would make it succeed.").exactOptional(),
  retryAfter: amount
    .describe("Milliseconds after which the same call may succeed.")
    .exactOptional(),
  detail: jsonValue.exactOptional(),
};

export const failureText = named(
  "Failure",
  z.strictObject(failureFields),
) satisfies z.ZodType<FailureText>;

/** A failure as HTTP carries it. */
export const problem = named(
  "Problem",
  z
    .strictObject({
      title: z.string().describe("What the status means."),
      status: z.int().min(400).max(599),
      ...failureFields,
    })
    .describe("A failure (RFC 9457), with the kernel's own code and hint."),
);
export type Problem = z.output<typeof problem>;

export const label = named(
  "Label",
  z
    .strictObject({
      integrity: z.enum(integrities),
      secrecy: z.enum(secrecies),
      tags: names.exactOptional(),
    })
    .describe("Origin, secrecy and tags of a value or process."),
) satisfies z.ZodType<Label>;

export const colour = z.enum(["BLUE", "YELLOW", "RED"]) satisfies z.ZodType<Colour>;

export const touch = named(
  "Touch",
  z
    .strictObject({ kind: z.string(), resource: z.string(), verb: z.string() })
    .describe("A resource that an action needs a capability for."),
) satisfies z.ZodType<Touch>;

/** A process that was started, or told. */
export const started = z.strictObject({ pid: text });
/** The name of what was set or removed. */
export const itsName = z.strictObject({ name: text });

/** Null before the first. */
export const lastFailure = z.strictObject({ at: amount, message: z.string() }).nullable();
