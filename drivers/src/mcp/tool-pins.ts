// Tool pins: the accepted tool definitions, so that a server cannot change a tool's description afterwards (a rug
// pull).
//
// TOOL-PINS-1  At first sight all definitions of a server are pinned: trust on first use.
// TOOL-PINS-2  Later, a changed or new tool is not offered until a person accepts it. The others stay.

import { createHash } from "node:crypto";
import { canonicalText, type Json, type JsonObject } from "@aos/protocol";

/** All that a server says of a tool. */
export interface ServerToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

export interface ToolPin {
  readonly hash: string;
  readonly definition: ServerToolDefinition;
}

export type Pins = Readonly<Record<string, ToolPin>>;

/** Where pins are kept, by server. */
export interface PinStore {
  of(server: string): Pins | undefined;
  keep(server: string, pins: Pins): void;
}

export interface PinChange {
  readonly tool: string;
  /** In words: what it said, and what it says. */
  readonly what: string;
}

export const pinsOf = (definitions: readonly ServerToolDefinition[]): Pins =>
  Object.fromEntries(
    definitions.map((definition) => [definition.name, { hash: hashOf(definition), definition }]),
  );

export const hashOf = (definition: ServerToolDefinition): string =>
  createHash("sha256")
    .update(canonicalText(definition as unknown as Json))
    .digest("hex");

/** TOOL-PINS-2. */
export function changesFrom(pins: Pins, definitions: readonly ServerToolDefinition[]): PinChange[] {
  return definitions.flatMap((definition) => {
    const pin = Object.hasOwn(pins, definition.name) ? pins[definition.name] : undefined;
    if (pin === undefined) return [{ tool: definition.name, what: "it is new" }];
    if (pin.hash === hashOf(definition)) return [];
    return [{ tool: definition.name, what: sayDifference(pin.definition, definition) }];
  });
}

const FIELDS = ["title", "description", "inputSchema", "outputSchema", "annotations"] as const;
const SHOWN_CHARS = 400;

function sayDifference(old: ServerToolDefinition, now: ServerToolDefinition): string {
  const parts = FIELDS.flatMap((field) => {
    const [before, after] = [shown(old[field]), shown(now[field])];
    return before === after ? [] : [`${field}: ${around(before, after)}`];
  });
  return parts.join("; ");
}

const shown = (value: Json | undefined): string =>
  value === undefined ? "nothing" : typeof value === "string" ? value : canonicalText(value);

/** Both texts from shortly before where they part, so that a long one does not hide the difference. */
function around(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = before.length + after.length <= SHOWN_CHARS ? 0 : Math.max(0, at - 40);
  const cut = (text: string) => {
    const part = text.slice(from, from + SHOWN_CHARS);
    const head = from === 0 ? "" : "…";
    return JSON.stringify(`${head}${part}${from + SHOWN_CHARS < text.length ? "…" : ""}`);
  };
  return `was ${cut(before)}, is ${cut(after)}`;
}
