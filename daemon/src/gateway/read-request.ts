// Reads the arguments of a request from path, query and body, and validates them against the row.

import { SysError, type Operation } from "@aos/protocol";
import type { HonoRequest } from "hono";
import type { z } from "zod";
import { parseJson } from "./parse-json.ts";

const MOST_NAMED = 20;
const LONGEST_NAME = 200;

export async function readRequest(
  row: Operation,
  request: HonoRequest,
): Promise<Record<string, unknown>> {
  return {
    ...checkFields(row.params, request.param(), "path"),
    ...checkFields(row.query, request.query(), "query"),
    ...checkFields(row.body, request.method === "GET" ? {} : await bodyOf(request), "body"),
  };
}

async function bodyOf(request: HonoRequest): Promise<unknown> {
  const text = await request.text();
  if (text === "") return {};
  const type = request.header("content-type") ?? "";
  if (!/^application\/(?:cloudevents\+)?json\b/i.test(type)) {
    throw new SysError(
      "EINVAL",
      `the Content-Type is ${type || "missing"}; it must be application/json`,
    );
  }
  return parseJson(text);
}

/** What came, or a refusal that says which fields there are. */
export function checkFields<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  where: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) =>
    issue.code === "unrecognized_keys"
      ? `unknown field ${someOf(issue.keys)} in the ${where}; fields are ${Object.keys(schema.shape).join(", ") || "none"}`
      : `${[where, ...issue.path].join(".")}: ${issue.message}`,
  );
  throw new SysError("EINVAL", problems.slice(0, MOST_NAMED).join("; "));
}

/** A body may have very many fields, with very long names. */
export function someOf(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_NAMED).map((key) => key.slice(0, LONGEST_NAME));
  return keys.length > MOST_NAMED
    ? `${named.join(", ")} and ${keys.length - MOST_NAMED} more`
    : named.join(", ");
}
