// Formats a schema error for the author of the value. The schema is run with `reportInput`, so that an issue has its
// value.

import type { z } from "zod";
import { nearest } from "@aos/protocol";

export type FieldPath = readonly (string | number)[];

type Issue = z.core.$ZodIssue;

export function formatIssue(
  issue: Issue,
  schema: z.ZodType,
  written: unknown,
): { path: FieldPath; message: string }[] {
  const path = issue.path as FieldPath;
  if (issue.code === "unrecognized_keys") {
    const fields = fieldsAt(schema, path);
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField(key, fields) }));
  }
  // What is not written there may still be read there, where a short spelling stands for a longer one.
  if (valueAt(written, path) === undefined && issue.input === undefined)
    return [{ path, message: "is missing" }];
  if (issue.code === "invalid_key")
    return [{ path, message: issue.issues[0]?.message ?? issue.message }];
  if (issue.code === "invalid_union") {
    const branches = issue.errors.map((errors) => errors[0]?.message ?? issue.message);
    return [{ path, message: [...new Set(branches)].join(", or ") }];
  }
  return [{ path, message: issue.message }];
}

function unknownField(key: string, fields: readonly string[]): string {
  const meant = nearest(key, fields);
  const advice =
    meant === undefined ? `; fields are ${fields.join(", ")}` : `; did you mean ${meant}?`;
  return `unknown field${fields.length === 0 ? "" : advice}`;
}

const valueAt = (value: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>(
    (inner, step) => (inner as Record<string | number, unknown> | undefined)?.[step],
    value,
  );

interface Wrapped {
  readonly shape?: Record<string, Wrapped>;
  readonly element?: Wrapped;
  readonly valueType?: Wrapped;
  readonly def?: { readonly innerType?: Wrapped; readonly out?: Wrapped };
}

/** The fields that an object at this place may have. */
function fieldsAt(schema: z.ZodType, path: FieldPath): string[] {
  let at = unwrapped(schema as unknown as Wrapped);
  for (const step of path) at = unwrapped(at?.shape?.[step] ?? at?.element ?? at?.valueType);
  return Object.keys(at?.shape ?? {});
}

function unwrapped(schema: Wrapped | undefined): Wrapped | undefined {
  let at = schema;
  for (;;) {
    const inner: Wrapped | undefined = at?.def?.innerType ?? at?.def?.out;
    if (inner === undefined) return at;
    at = inner;
  }
}
