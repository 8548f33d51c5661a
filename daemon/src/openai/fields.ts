// Fields: the fields of a request. A client that requests something unavailable gets an error that names the field,
// never something else in silence.
//
// OPENAI-FIELDS-1  A field is honoured, or harmless (it could change nothing here), or accepted only with the value
//     that requests nothing. Any other field or value is refused.
// OPENAI-FIELDS-2  `null` is the same as an absent field.

import { lanes, runBudget, SysError } from "@aos/protocol";
import { z } from "zod";

export interface FieldTable {
  readonly honoured: z.ZodObject;
  /** For the vendor's own bookkeeping: caches, prices, abuse. */
  readonly harmless: readonly string[];
  /** The values that ask for nothing; the first is the vendor's default. */
  readonly only: Readonly<Record<string, readonly unknown[]>>;
}

export function readFields<Table extends FieldTable>(
  table: Table,
  body: unknown,
): z.output<Table["honoured"]> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw fieldRefused("", "the body is a JSON object");
  const given = Object.entries(body).filter(([, value]) => value !== null); // OPENAI-FIELDS-2
  for (const [name, value] of given) checkField(table, name, value);
  const honoured = given.filter(([name]) => Object.hasOwn(table.honoured.shape, name));
  const parsed = table.honoured.safeParse(Object.fromEntries(honoured));
  if (parsed.success) return parsed.data as z.output<Table["honoured"]>;
  const issue = deepest(parsed.error.issues[0]!);
  const path = issue.path.map((step) =>
    typeof step === "number" ? `[${step}]` : `.${String(step)}`,
  );
  throw fieldRefused(path.join("").replace(/^\./, ""), issue.message);
}

/** OPENAI-FIELDS-1. */
function checkField({ honoured, harmless, only }: FieldTable, name: string, value: unknown): void {
  if (Object.hasOwn(honoured.shape, name) || harmless.includes(name)) return;
  const taken = Object.hasOwn(only, name) ? only[name] : undefined;
  if (taken === undefined) throw fieldRefusedVerbatim(name, `unknown field ${name}`);
  if (!taken.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    throw fieldRefusedVerbatim(
      name,
      `${name} is not supported: an agent's answers have no such setting`,
      `omit it, or set it to ${JSON.stringify(taken[0])}`,
    );
}

/** Of a value that fits none of several forms: what the form says that it came nearest to. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const inner = issue.errors
    .map((issues) => deepest(issues[0]!))
    .toSorted((a, b) => b.path.length - a.path.length)[0]!;
  return { ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue;
}

/** `param` is told to the client, and stands before the message. */
export const fieldRefused = (param: string, message: string, hint?: string): SysError =>
  fieldRefusedVerbatim(param, param === "" ? message : `${param}: ${message}`, hint);

/** The same where the message names the field itself. */
export const fieldRefusedVerbatim = (param: string, message: string, hint?: string): SysError =>
  new SysError("EINVAL", message, { hint, detail: { param: param === "" ? null : param } });

/** Fields of our own, beside the vendor's. */
export const ownFields = z
  .strictObject({
    budget: runBudget.optional(),
    label: z.string().optional(),
    lane: z.enum(lanes).optional(),
  })
  .optional();

export const metadata = z
  .record(z.string().max(64), z.string().max(512))
  .refine((pairs) => Object.keys(pairs).length <= 16, "at most 16 pairs")
  .optional();

/** The words for how much a model should think, and ours for them. */
export const effort = z
  .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])
  .transform((word) => EFFORTS[word])
  .optional();
const EFFORTS = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const;

export const HARMLESS = [
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "service_tier",
] as const;
