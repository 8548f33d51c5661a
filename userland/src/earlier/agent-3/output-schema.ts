// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Output schema: the part of JSON Schema that answers are checked against. A keyword that is not checked here is
// refused before the agent starts; none is ignored.
//
//   checked       type, enum, const, required, properties, additionalProperties, items
//   only words    $schema, $comment, title, description, default, examples, deprecated

import { canonicalText, type Json, type JsonObject, SysError } from "@aos/protocol";

const typeTests: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
};

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isTypeName = (name: Json): boolean =>
  typeof name === "string" && Object.hasOwn(typeTests, name);
const isText = (value: Json): boolean => typeof value === "string";
const anything = (): undefined => undefined;

/** For each keyword: what is wrong with its value in a schema, or undefined. */
const keywords: Readonly<Record<string, (value: Json, at: string) => string | undefined>> = {
  type: (value) =>
    (Array.isArray(value) ? value.length > 0 && value.every(isTypeName) : isTypeName(value))
      ? undefined
      : `is none of ${Object.keys(typeTests).join(", ")}, nor a list of them`,
  enum: (value) => (Array.isArray(value) && value.length > 0 ? undefined : "must be a list"),
  const: anything,
  required: (value) =>
    Array.isArray(value) && value.every(isText) ? undefined : "must be a list of names",
  properties: (value, at) => {
    if (!isObject(value)) return "must be an object of schemas";
    for (const [name, schema] of Object.entries(value)) refuseUncheckable(schema, `${at}.${name}`);
    return undefined;
  },
  additionalProperties: (value, at) => {
    if (typeof value !== "boolean") refuseUncheckable(value, at);
    return undefined;
  },
  items: (value, at) => {
    refuseUncheckable(value, at);
    return undefined;
  },
  $schema: anything,
  $comment: anything,
  title: anything,
  description: anything,
  default: anything,
  examples: anything,
  deprecated: anything,
};

/** Throws EINVAL for a schema that says something which `readAnswer` would not check. */
export function refuseUncheckable(schema: Json, at = "output.schema"): void {
  if (!isObject(schema)) throw new SysError("EINVAL", `${at} must be an object`);
  for (const [keyword, value] of Object.entries(schema)) {
    const place = `${at}.${keyword}`;
    const test = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    if (test === undefined) {
      throw new SysError("EINVAL", `${place} is a constraint that is not checked`, {
        hint: `leave it out; these are known: ${Object.keys(keywords).join(", ")}`,
      });
    }
    const mistake = test(value, place);
    if (mistake !== undefined) throw new SysError("EINVAL", `${place} ${mistake}`);
  }
}

export type AnswerRead =
  | { readonly fits: true; readonly value: Json }
  | { readonly fits: false; readonly problems: readonly string[] };

const FENCED = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/;

/** Reads a model's text as the JSON that the schema asks for. A fence around the whole of it is taken off. */
export function readAnswer(text: string, schema: Json): AnswerRead {
  const bare = text.trim();
  let value: Json;
  try {
    value = JSON.parse(FENCED.exec(bare)?.[1] ?? bare) as Json;
  } catch (error) {
    return { fits: false, problems: [`it is not JSON: ${(error as Error).message}`] };
  }
  const problems = problemsIn(value, schema as JsonObject, "");
  return problems.length === 0 ? { fits: true, value } : { fits: false, problems };
}

/** What in a value does not fit; places are JSON Pointers. The schema is one that was not refused. */
function problemsIn(value: Json, schema: JsonObject, at: string): string[] {
  const place = at === "" ? "the value" : at;
  const { type, enum: choices, const: only } = schema;
  const types = type === undefined ? [] : ([type].flat() as string[]);
  const problems: string[] = [];

  if (types.length > 0 && !types.some((name) => typeTests[name]?.(value))) {
    return [`${place} must be ${types.join(" or ")}`];
  }
  if (choices !== undefined && !(choices as Json[]).some((choice) => same(choice, value))) {
    problems.push(`${place} must be one of ${JSON.stringify(choices)}`);
  }
  if (only !== undefined && !same(only, value)) {
    problems.push(`${place} must be ${JSON.stringify(only)}`);
  }
  if (isObject(value)) problems.push(...problemsInMembers(value, schema, at));
  if (Array.isArray(value) && schema.items !== undefined) {
    const items = schema.items as JsonObject;
    problems.push(...value.flatMap((item, index) => problemsIn(item, items, `${at}/${index}`)));
  }
  return problems;
}

function problemsInMembers(value: JsonObject, schema: JsonObject, at: string): string[] {
  const required = (schema.required ?? []) as string[];
  const properties = (schema.properties ?? {}) as JsonObject;
  const others = schema.additionalProperties ?? true;

  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${placeOf(at, name)} is missing`);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const place = placeOf(at, name);
    const rule = Object.hasOwn(properties, name) ? (properties[name] as Json) : others;
    if (rule === false) return [`${place} is not allowed`];
    return rule === true ? [] : problemsIn(member, rule as JsonObject, place);
  });
  return [...missing, ...wrong];
}

const placeOf = (at: string, name: string): string =>
  `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

const same = (one: Json, other: Json): boolean => canonicalText(one) === canonicalText(other);
