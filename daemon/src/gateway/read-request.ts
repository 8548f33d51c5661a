// Reads the arguments of a request from path, query and body, and validates them against the row. JSON is parsed at a
// bounded cost: parsing blocks all other requests, and its cost grows with the number of values, not with the bytes.
//
//   parseJson(text)            the value; EINVAL if it is not JSON or too large
//   new JsonScan().feed(…)     the same count, over bytes as they arrive
//
// PARSE-JSON-1  A text has at most MAX_VALUES values and MAX_DEPTH levels, counted before parsing in one pass without
//     allocation.

import { type Operation, SysError } from "@aos/protocol";
import type { HonoRequest } from "hono";
import type { z } from "zod";

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

export const MAX_VALUES = 100_000;
export const MAX_JSON_DEPTH = 500;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const NEWLINE = 0x0a;

export function parseJson(text: string, what = "the body"): unknown {
  new JsonScan(what).feed(Buffer.from(text));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SysError("EINVAL", `${what} is not JSON: ${(error as Error).message}`);
  }
}

/** Counts commas and brackets outside of strings. What is no JSON is counted as well; to parse it fails. */
export class JsonScan {
  readonly #what: string;
  readonly #isLines: boolean;
  #values = 1;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** With `isLines` every line is a text of its own. */
  constructor(what: string, { isLines = false } = {}) {
    this.#what = what;
    this.#isLines = isLines;
  }

  /** Throws at the value, or the level, that is one too many. */
  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isLines && byte === NEWLINE) this.#restart();
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isString = false;
      } else if (byte === QUOTE) this.#isString = true;
      else if (byte === COMMA) this.#count();
      else if (OPENING.has(byte)) this.#open();
      else if (CLOSING.has(byte)) this.#depth -= 1;
    }
  }

  #restart(): void {
    this.#values = 1;
    this.#depth = 0;
    this.#isString = false;
    this.#isEscaped = false;
  }

  #open(): void {
    this.#count();
    this.#depth += 1;
    if (this.#depth > MAX_JSON_DEPTH)
      throw new SysError(
        "EINVAL",
        `${this.#what} is nested more than ${MAX_JSON_DEPTH} levels deep`,
      );
  }

  #count(): void {
    this.#values += 1;
    if (this.#values <= MAX_VALUES) return;
    throw new SysError("EINVAL", `${this.#what} has more than ${MAX_VALUES} values`, {
      hint: "put large data into one string, or into a file that the agent reads",
    });
  }
}
