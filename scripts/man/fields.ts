// Fields: pages with every field of agent.yaml and config.yaml, read off their schemas, and every option of createKernel.

import { manifestSchema } from "@aos/protocol";
import { z } from "zod";
import { configDefaults } from "../../daemon/src/config-defaults.ts";
import { configSchema } from "../../daemon/src/config.ts";
import { configMeanings } from "./config-meanings.ts";
import { kernelOptionRows } from "./kernel-options.ts";
import { tablePage } from "./tables.ts";

interface Node {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly quantity?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  /** Variants, told apart by a field that each has with its own value. */
  readonly oneOf?: readonly Node[];
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface Field {
  readonly path: string;
  readonly node: Node;
  readonly isRequired: boolean;
}

export const manifestFields = (): Field[] => fieldsIn(jsonSchema(manifestSchema));
export const configFields = (): Field[] => fieldsIn(withVariants(jsonSchema(configSchema)));

export const fieldPages = (): [name: string, text: string][] => [
  [
    "create-kernel.md",
    tablePage(
      "Options of createKernel",
      "scripts/man/kernel-options.ts",
      "[create-kernel.md](../create-kernel.md) describes the function.",
      ["option", "type", "default", "meaning"],
      kernelOptionRows(),
    ),
  ],
  [
    "agent-yaml.md",
    tablePage(
      "Fields of agent.yaml",
      "protocol/src/manifest.ts",
      "[agent-yaml.md](../agent-yaml.md) describes the file.",
      ["field", "type", "default", "meaning"],
      manifestFields().map(({ path, node, isRequired }) => [
        `\`${path}\``,
        typeOf(node),
        isRequired ? "required" : shownDefault(node.default, node.quantity),
        node.description ?? "",
      ]),
    ),
  ],
  [
    "config-yaml.md",
    tablePage(
      "Settings of config.yaml",
      "daemon/src/config.ts",
      "[configuration.md](../configuration.md) describes the file. NAME is a name that you choose, and `[]` marks the entries of a list.",
      ["setting", "type", "default", "meaning"],
      configFields().map(({ path, node, isRequired }) => [
        `\`${path}\``,
        typeOf(node),
        path in configDefaults
          ? shownDefault(configDefaults[path] ?? undefined)
          : isRequired
            ? "required"
            : shownDefault(node.default, node.quantity),
        configMeanings[path] ?? "",
      ]),
    ),
  ],
];

const jsonSchema = (schema: z.ZodType): Node =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Node;

/** Every field without fields of its own, by its path. */
function fieldsIn(node: Node, path = "", isRequired = false): Field[] {
  const below = Object.entries(node.properties ?? {});
  if (below.length > 0)
    return below.flatMap(([name, one]) =>
      fieldsIn(
        one,
        path === "" ? name : `${path}.${name}`,
        node.required?.includes(name) === true && !("default" in one),
      ),
    );
  const { additionalProperties: any, items } = node;
  if (typeof any === "object" && isShape(any)) return fieldsIn(any, `${path}.NAME`);
  if (items !== undefined && isShape(items)) return fieldsIn(items, `${path}[]`);
  return [{ path, node, isRequired }];
}

const isShape = ({ properties }: Node): boolean => Object.keys(properties ?? {}).length > 0;

/** Entries of a map that have variants, as if they had the fields of all of them. */
function withVariants(schema: Node): Node {
  const properties = Object.entries(schema.properties ?? {}).map(([name, node]) => {
    const { additionalProperties: any } = node;
    const isDivided = typeof any === "object" && any.oneOf !== undefined;
    return [name, isDivided ? { ...node, additionalProperties: united(any.oneOf) } : node];
  });
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, Node> };
}

/** The fields of all variants; required is what each of them requires. */
function united(variants: readonly Node[]): Node {
  const properties: Record<string, Node> = {};
  for (const variant of variants)
    for (const [name, node] of Object.entries(variant.properties ?? {})) {
      const { const: own } = node;
      const known = properties[name];
      if (own === undefined) properties[name] ??= node;
      else properties[name] = { enum: [...(known?.enum ?? []), own as string] };
    }
  const required = Object.keys(properties).filter((name) =>
    variants.every((variant) => variant.required?.includes(name)),
  );
  return { properties, required };
}

const code = (text: unknown) => `\`${String(text)}\``;

function typeOf(node: Node): string {
  const { type, items, additionalProperties: any } = node;
  if (node.quantity !== undefined) return node.quantity;
  if (node.enum !== undefined) return node.enum.map(code).join(", ");
  if (node.const !== undefined) return code(node.const);
  if (node.anyOf !== undefined) return node.anyOf.map(typeOf).join(" or ");
  if (type === "array") return items === undefined ? "list" : `list of ${typeOf(items)}`;
  if (type === "object") return typeof any === "object" ? `map of ${typeOf(any)}` : "object";
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return numberType(node);
  return typeof type === "string" ? type : "any";
}

function numberType({ type, minimum, maximum, exclusiveMinimum }: Node): string {
  const word = type === "integer" ? "whole number" : "number";
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  const from = isBound(minimum) ? `from ${minimum}` : "";
  const above = isBound(exclusiveMinimum) ? `above ${exclusiveMinimum}` : "";
  const to = isBound(maximum) ? `to ${maximum}` : "";
  return [word, from, above, to].filter((part) => part !== "").join(" ");
}

function shownDefault(value: unknown, quantity?: string): string {
  if (value === undefined) return "none";
  if (quantity === "duration" && typeof value === "number")
    return value % 60_000 === 0 ? code(`${value / 60_000}m`) : code(`${value}ms`);
  return code(JSON.stringify(value).replaceAll('"', ""));
}
