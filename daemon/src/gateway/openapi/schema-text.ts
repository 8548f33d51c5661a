// SchemaText: a JSON Schema as a person reads it: like a type of TypeScript, with links to the named ones.
//
// SCHEMA-TEXT-1  What is shown is text: nothing of a schema becomes markup of the page.

import type { JsonSchema } from "./document-words.ts";

export const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

const INDENT = "  ";

export function schemaText(schema: JsonSchema, depth = 0): string {
  const { $ref, anyOf, oneOf, type } = schema;
  if (typeof $ref === "string") return link($ref);
  const either = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (either !== undefined) return either.map((one) => schemaText(one, depth)).join(" | ");
  if (schema["enum"] !== undefined)
    return (schema["enum"] as unknown[]).map((one) => literal(one)).join(" | ");
  if ("const" in schema) return literal(schema["const"]);
  if (Array.isArray(type))
    return type.map((one) => schemaText({ ...schema, type: one as string }, depth)).join(" | ");
  if (type === "array") return arrayText(schema, depth);
  if (type === "object") return objectText(schema, depth);
  return typeof type === "string" ? wordOf(type, schema) : "any";
}

const literal = (value: unknown): string => `<i>${escape(JSON.stringify(value))}</i>`;

function link($ref: string): string {
  const name = $ref.split("/").at(-1) ?? "";
  return `<a href="#schema-${escape(name)}">${escape(name)}</a>`;
}

/** `string (date-time)`, `integer 0…10000`. */
function wordOf(type: string, { format, minimum = null, maximum, pattern }: JsonSchema): string {
  const range =
    typeof maximum === "number" ? ` ${typeof minimum === "number" ? minimum : ""}…${maximum}` : "";
  const shape = typeof pattern === "string" ? ` <s>${escape(pattern)}</s>` : "";
  return `${type}${typeof format === "string" ? ` (${escape(format)})` : ""}${range}${shape}`;
}

function arrayText({ items, prefixItems }: JsonSchema, depth: number): string {
  if (prefixItems !== undefined)
    return `[${(prefixItems as JsonSchema[]).map((one) => schemaText(one, depth)).join(", ")}]`;
  const each = schemaText((items ?? {}) as JsonSchema, depth);
  return each.includes(" | ") && !each.startsWith("{") ? `(${each})[]` : `${each}[]`;
}

function objectText(schema: JsonSchema, depth: number): string {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const pad = INDENT.repeat(depth + 1);
  const must = new Set(required as string[]);
  const lines = Object.entries(properties as Record<string, JsonSchema>).map(([name, one]) => {
    const says =
      typeof one["description"] === "string" ? `  <em>${escape(one["description"])}</em>` : "";
    return `${pad}<b>${escape(name)}</b>${must.has(name) ? "" : "?"}: ${schemaText(one, depth + 1)}${says}`;
  });
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    const key = propertyNames === undefined ? "string" : schemaText(propertyNames as JsonSchema);
    lines.push(`${pad}[${key}]: ${schemaText(additionalProperties as JsonSchema, depth + 1)}`);
  }
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${INDENT.repeat(depth)}}`;
}
