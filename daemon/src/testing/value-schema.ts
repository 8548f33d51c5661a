// Value schema: the JSON Schema that a test expects a value to match.
//
// VALUE-SCHEMA-1  Every keyword of a schema is checked, or the schema is refused when it is read.

import type { Json, JsonObject } from "@aos/protocol";
import { z } from "zod";

const WORDS = ["$schema", "$comment", "title", "description", "examples"];
const ANYWHERE = new Set(["type", "enum", "const", "anyOf", "oneOf", "allOf", ...WORDS]);

/** Keywords that mean something for one type only; without it they would say nothing. */
const ofType: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  null: [],
  array: ["items", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
};
const typeNames = Object.keys(ofType);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** VALUE-SCHEMA-1. What is wrong with a schema, and where in it. */
export function flawsIn(schema: Json, at: readonly (string | number)[] = []): SchemaProblem[] {
  if (typeof schema === "boolean") return [];
  if (!isObject(schema)) return [{ at, message: "a JSON Schema is an object" }];
  const own = Object.keys(schema).flatMap((keyword) => flawOf(schema, keyword, at));
  if (own.length > 0) return own;
  const below = [...inner(schema)].flatMap(([path, one]) => flawsIn(one, [...at, ...path]));
  return below.length > 0 ? below : flawOfLibrary(schema, at);
}

export interface SchemaProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

function flawOf(schema: JsonObject, keyword: string, at: SchemaProblem["at"]): SchemaProblem[] {
  const flaw = (message: string) => [{ at: [...at, keyword], message }];
  const { [keyword]: value = null } = schema;
  if (keyword === "type" && (typeof value !== "string" || !typeNames.includes(value)))
    return flaw(`a type is one of ${typeNames.join(", ")}; use anyOf for several`);
  if (keyword === "enum" && !(Array.isArray(value) && value.every(isScalar)))
    return flaw("enum is a list of texts, numbers, true, false or null");
  if (keyword === "const" && !isScalar(value))
    return flaw("const is a text, a number, true, false or null; use equals for the rest");
  if (ANYWHERE.has(keyword)) return [];
  const types = typeNames.filter((name) => ofType[name]!.includes(keyword));
  if (types.length === 0) return flaw(`${keyword} is a constraint that is not checked`);
  return types.includes(schema["type"] as string)
    ? []
    : flaw(`${keyword} says nothing without type: ${types.join(" or ")}`);
}

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function* inner(schema: JsonObject): Generator<[(string | number)[], Json]> {
  for (const keyword of ["items", "additionalProperties"])
    if (schema[keyword] !== undefined) yield [[keyword], schema[keyword]];
  for (const [name, one] of Object.entries((schema["properties"] ?? {}) as JsonObject))
    yield [["properties", name], one as Json];
  for (const keyword of ["anyOf", "oneOf", "allOf"])
    for (const [index, one] of ((schema[keyword] ?? []) as Json[]).entries())
      yield [[keyword, index], one];
}

function flawOfLibrary(schema: JsonObject, at: SchemaProblem["at"]): SchemaProblem[] {
  try {
    z.fromJSONSchema(schema as never);
    return [];
  } catch (error) {
    return [{ at, message: (error as Error).message }];
  }
}

/** What of a value does not fit; the schema has no flaws. */
export function misfits(value: Json, schema: Json): string[] {
  const checked = z.fromJSONSchema(schema as never).safeParse(value);
  if (checked.success) return [];
  return checked.error.issues.map(({ path, message }) => {
    const place = path.map((step) => `/${String(step)}`).join("");
    return place === "" ? message : `${place}: ${message}`;
  });
}
