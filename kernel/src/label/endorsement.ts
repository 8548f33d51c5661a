// Endorsement: the only way to raise integrity from `untrusted`. Untrusted data is accepted as a value of a schema so
// strict that it cannot carry words: a boolean, a number, one of a few names, a date.
//
//   openness(schema)         why the schema is not strict, or undefined
//   schemaMismatch(schema, value)    where the value does not match, or undefined
//   endorse(label)           untrusted becomes mixed; secrecy is unchanged
//
// ENDORSEMENT-1  A schema that leaves a part open is refused as a whole.
// ENDORSEMENT-2  Only the keywords listed here are known; any other keyword is refused, not skipped.
// ENDORSEMENT-3  An endorsement never makes anything `trusted` and never lowers secrecy.

import type { Json, Label } from "@aos/protocol";

type Schema = { readonly [word: string]: Json };

const MAX_CHOICES = 100;
const MAX_CHOICE_CHARS = 100;
const MAX_ITEMS = 100;
const MAX_DEPTH = 6;

const FORMATS: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  "date-time": /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/,
  time: /^\d{2}:\d{2}(:\d{2})?$/,
};

const WORDS: Readonly<Record<string, readonly string[]>> = {
  object: ["type", "properties", "required", "additionalProperties", "title", "description"],
  array: ["type", "items", "maxItems", "minItems", "title", "description"],
  string: ["type", "enum", "const", "format", "title", "description"],
  number: ["type", "minimum", "maximum", "enum", "const", "title", "description"],
  integer: ["type", "minimum", "maximum", "enum", "const", "title", "description"],
  boolean: ["type", "const", "title", "description"],
  null: ["type", "title", "description"],
};

const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function openness(
  schema: Json | undefined,
  at = "the schema",
  depth = 0,
): string | undefined {
  if (!isSchema(schema)) return `${at} is not a schema`;
  if (depth > MAX_DEPTH) return `${at} is nested too deeply`;
  const { type } = schema;
  const words = typeof type === "string" && Object.hasOwn(WORDS, type) ? WORDS[type]! : undefined;
  if (words === undefined) return `${at} has no type that can be endorsed`;
  const unknown = Object.keys(schema).find((word) => !words.includes(word));
  if (unknown !== undefined) return `${at}: ${unknown} is not understood here`;
  if (type === "object") return objectOpenness(schema, at, depth);
  if (type === "array") return arrayOpenness(schema, at, depth);
  if (type === "string") return stringOpenness(schema, at);
  return undefined;
}

function objectOpenness(schema: Schema, at: string, depth: number): string | undefined {
  const { properties, additionalProperties } = schema;
  if (!isSchema(properties)) return `${at} does not name its properties`;
  if (additionalProperties !== false) return `${at} leaves more properties open`;
  for (const [name, part] of Object.entries(properties)) {
    const open = openness(part, `${at}.${name}`, depth + 1);
    if (open !== undefined) return open;
  }
  return undefined;
}

function arrayOpenness(schema: Schema, at: string, depth: number): string | undefined {
  const { items, maxItems } = schema;
  if (typeof maxItems !== "number" || !(maxItems <= MAX_ITEMS))
    return `${at} needs maxItems of at most ${MAX_ITEMS}`;
  return openness(items, `${at}[]`, depth + 1);
}

function stringOpenness(schema: Schema, at: string): string | undefined {
  const { format } = schema;
  if (format !== undefined)
    return typeof format === "string" && Object.hasOwn(FORMATS, format)
      ? undefined
      : `${at}: only the formats ${Object.keys(FORMATS).join(", ")} say enough`;
  const choices = choicesOf(schema);
  if (choices === undefined) return `${at} is free text: it needs an enum or a format`;
  const isPlain = choices.every(
    (choice) => typeof choice === "string" && choice.length <= MAX_CHOICE_CHARS,
  );
  return isPlain && choices.length <= MAX_CHOICES
    ? undefined
    : `${at}: at most ${MAX_CHOICES} choices of ${MAX_CHOICE_CHARS} characters`;
}

function choicesOf({ enum: choices, const: only }: Schema): readonly Json[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(choices) ? choices : undefined;
}

/** For a schema that openness() has nothing against. */
export function schemaMismatch(schema: Json, value: Json, at = "the result"): string | undefined {
  const rule = schema as Schema;
  const type = rule["type"] as string;
  if (!hasType(type, value)) return `${at} is not of type ${type}`;
  const choices = choicesOf(rule);
  if (choices !== undefined && !choices.includes(value)) return `${at} is none of the choices`;
  if (typeof value === "string") return stringMisfit(rule, value, at);
  if (typeof value === "number") return numberMisfit(rule, value, at);
  if (Array.isArray(value)) return arrayMisfit(rule, value, at);
  if (typeof value === "object" && value !== null) return objectMisfit(rule, value as Schema, at);
  return undefined;
}

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  object: (value) => isSchema(value),
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};

const hasType = (type: string, value: Json): boolean => TYPES[type]!(value);

function stringMisfit({ format }: Schema, value: string, at: string): string | undefined {
  if (typeof format !== "string") return undefined;
  return FORMATS[format]!.test(value) ? undefined : `${at} is no ${format}`;
}

function numberMisfit({ minimum, maximum }: Schema, value: number, at: string): string | undefined {
  if (typeof minimum === "number" && value < minimum) return `${at} is below ${minimum}`;
  if (typeof maximum === "number" && value > maximum) return `${at} is above ${maximum}`;
  return undefined;
}

function arrayMisfit(rule: Schema, value: readonly Json[], at: string): string | undefined {
  const { minItems, items } = rule;
  const maxItems = rule["maxItems"] as number;
  if (value.length > maxItems) return `${at} has more than ${maxItems} items`;
  if (typeof minItems === "number" && value.length < minItems)
    return `${at} has fewer than ${minItems} items`;
  return firstOf(value.map((item, i) => () => schemaMismatch(items!, item, `${at}[${i}]`)));
}

function objectMisfit(rule: Schema, value: Schema, at: string): string | undefined {
  const properties = rule["properties"] as Schema;
  const required = Array.isArray(rule["required"]) ? (rule["required"] as string[]) : [];
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at} has no ${missing}`;
  const more = Object.keys(value).find((name) => !Object.hasOwn(properties, name));
  if (more !== undefined) return `${at} has more than its schema`;
  return firstOf(
    Object.entries(value).map(
      ([name, part]) =>
        () =>
          schemaMismatch(properties[name]!, part, `${at}.${name}`),
    ),
  );
}

function firstOf(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const found = check();
    if (found !== undefined) return found;
  }
  return undefined;
}

export const endorse = (label: Label): Label =>
  label.integrity === "untrusted" ? { ...label, integrity: "mixed" } : label;
