// Body schema: the part of JSON Schema that messages and the values of pipes are checked against.
//
//   type, enum, const, required, properties, additionalProperties, items, minItems, maxItems, minLength, maxLength,
//   minimum, maximum, anyOf; and words that check nothing: $schema, $comment, title, description, default, examples
//
// BODY-SCHEMA-1  A keyword that is not checked here is refused with the schema; none is ignored.
// BODY-SCHEMA-2  A check takes at most the size of the schema times that of the value: there is no `pattern`, and no
//     reference from one schema to another.
// BODY-SCHEMA-3  A mismatch names the path in the value.

import { canonicalText, type Json, type JsonObject } from "./json.ts";

const MAX_DEPTH = 12;
const MAX_CHOICES = 1000;
const MAX_ALTERNATIVES = 8;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: isObject,
};

const isTypeName = (name: Json): boolean => typeof name === "string" && Object.hasOwn(types, name);
const isCount = (value: Json): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const count: Flaw = (value, at) => (isCount(value) ? undefined : `${at} is no count`);
const number: Flaw = (value, at) => (typeof value === "number" ? undefined : `${at} is no number`);
const words = (): undefined => undefined;

type Flaw = (value: Json, at: string, depth: number) => string | undefined;

/** For each keyword: what is wrong with its value. */
const keywords: Readonly<Record<string, Flaw>> = {
  type: (value, at) =>
    (Array.isArray(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value))
      ? undefined
      : `${at} is none of ${Object.keys(types).join(", ")}, nor a list of them`,
  enum: (value, at) =>
    Array.isArray(value) && value.length > 0 && value.length <= MAX_CHOICES
      ? undefined
      : `${at} is no list of 1 to ${MAX_CHOICES} values`,
  const: words,
  required: (value, at) =>
    Array.isArray(value) && value.every((name) => typeof name === "string")
      ? undefined
      : `${at} is no list of names`,
  properties: (value, at, depth) =>
    isObject(value)
      ? firstOf(
          Object.entries(value).map(
            ([name, one]) =>
              () =>
                schemaFlaw(one as Json, `${at}.${name}`, depth + 1),
          ),
        )
      : `${at} is no object of schemas`,
  additionalProperties: (value, at, depth) =>
    typeof value === "boolean" ? undefined : schemaFlaw(value, at, depth + 1),
  items: (value, at, depth) => schemaFlaw(value, at, depth + 1),
  anyOf: (value, at, depth) =>
    Array.isArray(value) && value.length > 0 && value.length <= MAX_ALTERNATIVES
      ? firstOf(value.map((one, nth) => () => schemaFlaw(one, `${at}[${nth}]`, depth + 1)))
      : `${at} is no list of 1 to ${MAX_ALTERNATIVES} schemas`,
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  minimum: number,
  maximum: number,
  $schema: words,
  $comment: words,
  title: words,
  description: words,
  default: words,
  examples: words,
};

/** BODY-SCHEMA-1. What is wrong with a schema, and where; undefined where it can be checked. */
export function schemaFlaw(schema: Json, at = "schema", depth = 0): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isObject(schema)) return `${at} is no JSON Schema`;
  if (depth > MAX_DEPTH) return `${at} is nested deeper than ${MAX_DEPTH}`;
  for (const [word, value] of Object.entries(schema)) {
    const check = Object.hasOwn(keywords, word) ? keywords[word]! : undefined;
    if (check === undefined) return `${at}.${word} is a keyword that is not checked`;
    const flaw = check(value as Json, `${at}.${word}`, depth);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

/** BODY-SCHEMA-3. For a schema without a flaw. */
export function bodyMismatch(schema: Json, value: Json, at = "body"): string | undefined {
  if (schema === true) return undefined;
  if (schema === false) return `${at} is not allowed`;
  const rule = schema as JsonObject;
  const { type, enum: choices, const: only, anyOf } = rule;
  const names = (Array.isArray(type) ? type : [type]) as string[];
  if (type !== undefined && !names.some((name) => types[name]!(value)))
    return `${at} is not of type ${names.join(" or ")}`;
  if (only !== undefined && !isSame(only as Json, value))
    return `${at} is not ${canonicalText(only as Json)}`;
  if (Array.isArray(choices) && !choices.some((one) => isSame(one as Json, value)))
    return `${at} is none of the choices`;
  if (Array.isArray(anyOf)) {
    const misfits = anyOf.map((one) => bodyMismatch(one as Json, value, at));
    if (!misfits.includes(undefined)) return `${misfits[0]!}, nor is it one of the alternatives`;
  }
  if (typeof value === "string") return inRange(rule, "Length", value.length, at, "characters");
  if (typeof value === "number") return numberMismatch(rule, value, at);
  if (Array.isArray(value)) return arrayMismatch(rule, value, at);
  return isObject(value) ? objectMismatch(rule, value, at) : undefined;
}

const isSame = (one: Json, other: Json): boolean =>
  one === other ||
  (typeof one === "object" &&
    typeof other === "object" &&
    canonicalText(one) === canonicalText(other));

function inRange(rule: JsonObject, of: string, size: number, at: string, unit: string) {
  const { [`min${of}`]: min, [`max${of}`]: max } = rule;
  if (typeof min === "number" && size < min) return `${at} has fewer than ${min} ${unit}`;
  return typeof max === "number" && size > max ? `${at} has more than ${max} ${unit}` : undefined;
}

function numberMismatch({ minimum, maximum }: JsonObject, value: number, at: string) {
  if (typeof minimum === "number" && value < minimum) return `${at} is below ${minimum}`;
  return typeof maximum === "number" && value > maximum ? `${at} is above ${maximum}` : undefined;
}

function arrayMismatch(rule: JsonObject, value: readonly Json[], at: string): string | undefined {
  const { items } = rule;
  const size = inRange(rule, "Items", value.length, at, "items");
  if (size !== undefined || items === undefined) return size;
  return firstOf(value.map((one, nth) => () => bodyMismatch(items as Json, one, `${at}[${nth}]`)));
}

function objectMismatch(rule: JsonObject, value: JsonObject, at: string): string | undefined {
  const { required, properties = {}, additionalProperties = true } = rule;
  const missing = Array.isArray(required)
    ? required.find((name) => !Object.hasOwn(value, name as string))
    : undefined;
  if (missing !== undefined) return `${at} has no ${missing as string}`;
  const known = properties as JsonObject;
  return firstOf(
    Object.entries(value).map(
      ([name, one]) =>
        () =>
          bodyMismatch(
            (Object.hasOwn(known, name) ? known[name] : additionalProperties) as Json,
            one as Json,
            `${at}.${name}`,
          ),
    ),
  );
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
