// Plain copy: copies a JSON value without serialising it. Most values of programs and tools are plain: objects
// without a class, lists, texts, finite numbers.
//
// PLAIN-COPY-1  A copy equals JSON.parse(JSON.stringify(value)), with members in the same order; otherwise there is
//     none and the text decides. A test compares the two.
// PLAIN-COPY-2  Every member is read once, and only the copy is recorded and used, so that a getter or proxy cannot
//     return two different values.

import type { Json } from "@aos/protocol";

/** Deeper than that the text decides: a value may hold itself. */
const MAX_DEPTH = 24;

/** Undefined where only the text can say (PLAIN-COPY-1). */
export const plainCopy = (value: unknown): Json | undefined => copyOf(value, MAX_DEPTH);

function copyOf(value: unknown, depth: number): Json | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined; // -0 is written as 0
  if (typeof value !== "object" || depth === 0) return undefined;
  return Array.isArray(value) ? copyOfList(value, depth - 1) : copyOfObject(value, depth - 1);
}

function copyOfList(list: readonly unknown[], depth: number): Json | undefined {
  if (Object.getPrototypeOf(list) !== Array.prototype || "toJSON" in list) return undefined;
  const copy: Json[] = [];
  for (let at = 0; at < list.length; at++) {
    const member = copyOf(list[at], depth);
    if (member === undefined) return undefined;
    copy.push(member);
  }
  return copy;
}

function copyOfObject(value: object, depth: number): Json | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return undefined;
  const copy: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    if (name === "__proto__") return undefined; // would be no member of the copy
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined) continue; // JSON has no such member
    const member = copyOf(given, depth);
    if (member === undefined) return undefined;
    copy[name] = member;
  }
  return copy;
}
