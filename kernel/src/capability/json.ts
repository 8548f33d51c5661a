// JSON inside a capability: the values of pins.
//
//   readJson(text, at)    the value that starts there, and where it ends
//   writeJson(value)      its one canonical text: sorted keys, invisible characters escaped
//   sameJson(a, b)        equal as JSON; the order of keys does not count
//
// J1  A key named twice, or one that JavaScript objects inherit (`__proto__`), is refused.
// J2  readJson(writeJson(v)) is v.

import { codeName, isInvisible } from "./characters.ts";
import { CapabilityError } from "./error.ts";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

const MAX_DEPTH = 16;
const SPACE = " ";

export interface Read<T> {
  readonly value: T;
  readonly end: number;
}

export function readJson(text: string, at: number, depth = 0): Read<Json> {
  if (depth > MAX_DEPTH) throw new CapabilityError("JSON nested too deeply", text, at);
  const first = text[at];
  if (first === '"') return readString(text, at);
  if (first === "[") return readArray(text, at, depth);
  if (first === "{") return readObject(text, at, depth);
  return readWord(text, at);
}

export function skipSpace(text: string, at: number): number {
  while (text[at] === SPACE) at += 1;
  return at;
}

/** Names that plain objects inherit: as keys they would mean something else than they say. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype || name === "prototype";
}

function readString(text: string, at: number): Read<string> {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') {
    const point = text.codePointAt(end) ?? 0;
    if (isInvisible(point)) {
      throw new CapabilityError(`invisible character ${codeName(point)}: escape it`, text, end);
    }
    end += text[end] === "\\" ? 2 : 1;
  }
  return { value: parseSlice(text, at, end + 1) as string, end: end + 1 };
}

function readWord(text: string, at: number): Read<Json> {
  let end = at;
  while (end < text.length && !" ,:]}".includes(text.charAt(end))) end += 1;
  const value = parseSlice(text, at, end);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new CapabilityError("number too large", text, at);
  }
  return { value: value === 0 ? 0 : value, end };
}

function parseSlice(text: string, at: number, end: number): Json {
  try {
    return JSON.parse(text.slice(at, end)) as Json;
  } catch {
    throw new CapabilityError("not a JSON value", text, at);
  }
}

function readArray(text: string, at: number, depth: number): Read<Json> {
  const items: Json[] = [];
  const end = readItems(text, at, "]", (itemAt) => {
    const item = readJson(text, itemAt, depth + 1);
    items.push(item.value);
    return item.end;
  });
  return { value: items, end };
}

function readObject(text: string, at: number, depth: number): Read<Json> {
  const object: Record<string, Json> = {};
  const end = readItems(text, at, "}", (keyAt) => {
    if (text[keyAt] !== '"') throw new CapabilityError("expected a key", text, keyAt);
    const key = readString(text, keyAt);
    if (isInheritedName(key.value) || Object.hasOwn(object, key.value)) {
      throw new CapabilityError("key refused, or named twice", text, keyAt);
    }
    const colon = skipSpace(text, key.end);
    if (text[colon] !== ":") throw new CapabilityError("expected :", text, colon);
    const item = readJson(text, skipSpace(text, colon + 1), depth + 1);
    object[key.value] = item.value;
    return item.end;
  });
  return { value: object, end };
}

/** Reads a comma list between brackets; `one` reads an item and says where it ends. */
export function readItems(
  text: string,
  at: number,
  close: string,
  one: (at: number) => number,
): number {
  let next = skipSpace(text, at + 1);
  if (text[next] === close) return next + 1;
  for (;;) {
    next = skipSpace(text, one(next));
    if (text[next] === close) return next + 1;
    if (text[next] !== ",") throw new CapabilityError(`expected , or ${close}`, text, next);
    next = skipSpace(text, next + 1);
  }
}

export function writeJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item as Json)).join(",")}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${escaped(key)}:${writeJson(value[key] as Json)}`).join(",")}}`;
  }
  return typeof value === "string" ? escaped(value) : JSON.stringify(value);
}

function escaped(text: string): string {
  return Array.from(JSON.stringify(text), (character) =>
    isInvisible(character.codePointAt(0) ?? 0) ? escapeUnits(character) : character,
  ).join("");
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}

export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => sameJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
