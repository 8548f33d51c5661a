// Argument check: validates arguments against the JSON Schema of a server before anything is sent.
//
// ARGUMENT-CHECK-1  The schema is untrusted: it is interpreted, never compiled into code, has no external references,
//     and is limited in size and depth.
// ARGUMENT-CHECK-2  Its regular expressions are not run, because one could block the daemon. The server must check
//     them itself.
// ARGUMENT-CHECK-3  If a schema cannot be checked, every call of its tool is refused with the reason.

import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import type { Json, JsonObject } from "@aos/protocol";

/** Why arguments do not fit; undefined when they do. */
export type ArgumentCheck = (args: Json) => string | undefined;

/** A check, and what of the schema cannot be checked, which makes every call a refusal (ARGUMENT-CHECK-3). */
interface SchemaRead {
  readonly check: ArgumentCheck;
  readonly flaw: string | undefined;
}

const MAX_SCHEMA_CHARS = 262_144;
const MAX_DEPTH = 64;
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft-07|draft\/20(19-09|20-12))\/schema#?$/;

/** ARGUMENT-CHECK-2: and what means something else without them. */
const EXPRESSIONS: readonly string[] = ["pattern", "patternProperties", "format"];
const NEEDS_EXPRESSIONS: readonly string[] = ["additionalProperties", "unevaluatedProperties"];

export const argumentCheckOf = (schema: JsonObject): ArgumentCheck => readArguments(schema).check;

/** The same for a value of any kind. */
export const checkOf = (schema: JsonObject): ArgumentCheck => readSchema(schema).check;

export const readArguments = (schema: JsonObject): SchemaRead =>
  schema["type"] === "object" ? readSchema(schema) : unchecked("its type is not object");

function readSchema(schema: JsonObject): SchemaRead {
  const flaw = flawIn(schema);
  if (flaw !== undefined) return unchecked(flaw);
  try {
    const check = compiled(withoutExpressions(schema, "schema") as JsonObject);
    check({}); // it finds references that lead nowhere with the first value only
    return { flaw: undefined, check: (args) => problemWith(check, args) };
  } catch (error) {
    return unchecked((error as Error).message);
  }
}

const unchecked = (flaw: string): SchemaRead => ({ flaw, check: () => cannotBeChecked(flaw) });

const cannotBeChecked = (flaw: string): string => `the server's schema cannot be checked: ${flaw}`;

function problemWith(check: Check, args: Json): string | undefined {
  try {
    const read = check(args);
    return read.valid ? undefined : read.errorMessage;
  } catch (error) {
    return cannotBeChecked((error as Error).message);
  }
}

/** The part of the client's library that checks what tools return; as careful as we are. */
export const carefulValidator: jsonSchemaValidator = {
  getValidator<T>(schema: unknown): JsonSchemaValidator<T> {
    const check = checkOf(schema as JsonObject);
    return (input: unknown) => {
      const problem = check(input as Json);
      return problem === undefined
        ? { valid: true as const, data: input as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: problem };
    };
  },
};

const compiled = (schema: JsonObject) =>
  new CfWorkerJsonSchemaValidator({ shortcircuit: true }).getValidator(schema as never);

type Check = ReturnType<typeof compiled>;

/** ARGUMENT-CHECK-1. */
function flawIn(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS)
    return `it has more than ${MAX_SCHEMA_CHARS} characters`;
  const { $schema: dialect } = schema;
  if (dialect !== undefined && !(typeof dialect === "string" && DIALECTS.test(dialect)))
    return `its dialect ${JSON.stringify(dialect)} is unknown`;
  return flawBelow(schema, 0);
}

function flawBelow(value: Json, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return `it is more than ${MAX_DEPTH} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const isReference = ["$ref", "$dynamicRef", "$recursiveRef"].includes(key);
    if (isReference && typeof inner === "string" && !inner.startsWith("#"))
      return `it refers to ${JSON.stringify(inner)}, which is an external reference`;
    const flaw = flawBelow(inner as Json, depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/** Members whose members are names, not keywords. */
const NAMED = new Set(["properties", "$defs", "definitions", "dependentSchemas"]);
/** Members that are values. */
const VALUES = new Set(["const", "enum", "default", "examples"]);

/** ARGUMENT-CHECK-2. */
function withoutExpressions(value: Json, place: "schema" | "names"): Json {
  if (Array.isArray(value)) return value.map((one) => withoutExpressions(one, "schema"));
  if (typeof value !== "object" || value === null) return value;
  const hasPatterns = place === "schema" && Object.hasOwn(value, "patternProperties");
  const dropped = hasPatterns ? [...EXPRESSIONS, ...NEEDS_EXPRESSIONS] : EXPRESSIONS;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => place === "names" || !dropped.includes(key))
      .map(([key, inner]) => {
        if (place === "schema" && VALUES.has(key)) return [key, inner];
        const inside = place === "schema" && NAMED.has(key) ? "names" : "schema";
        return [key, withoutExpressions(inner as Json, inside)];
      }),
  );
}
