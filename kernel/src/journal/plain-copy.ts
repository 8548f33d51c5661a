// Plain copy: a JSON value that is the caller's no more, without its text being written and read again. Most of
// what programs and tools pass is plain: objects without a class, lists, texts, finite numbers.
//
// PLAIN-COPY-1  A copy is what JSON.parse(JSON.stringify(value)) gives, members in the same order; or
//     there is none, and the text decides. The test holds one against the other.
// PLAIN-COPY-2  Every member is read once. What is recorded and used afterwards is the copy, so that a
//     getter or a proxy that answers twice has no second word.

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
