// JSON inside a capability: the values of pins.
//
//   scanJson(text, at)    the value that starts there, and where it ends
//   writeJson(value)      its one canonical text: sorted keys, invisible characters escaped
//   sameJson(a, b)        equal as JSON; the order of keys does not count
//
// JSON-1  A key named twice, or one that JavaScript objects inherit (`__proto__`), is refused.
// JSON-2  scanJson(writeJson(v)) is v.

import { codeName, isInvisible } from "./characters.ts";
import { CapabilityError } from "./error.ts";
import { endOfRun, readItems, skipSpace } from "./scan.ts";

export type PinValue =
  | null
  | boolean
  | number
  | string
  | readonly PinValue[]
  | { readonly [key: string]: PinValue };

const MAX_DEPTH = 16;

export interface ScannedValue<T> {
  readonly value: T;
  readonly end: number;
}

export function scanJson(text: string, at: number, depth = 0): ScannedValue<PinValue> {
  if (depth > MAX_DEPTH) throw new CapabilityError("JSON nested too deeply", text, at);
  const first = text[at];
  if (first === '"') return readString(text, at);
  if (first === "[") return readArray(text, at, depth);
  if (first === "{") return readObject(text, at, depth);
  return readWord(text, at);
}

/** Names that plain objects inherit: as keys they would mean something else than they say. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype || name === "prototype";
}

export function readString(text: string, at: number): ScannedValue<string> {
  for (let end = at + 1; end < text.length; end += text[end] === "\\" ? 2 : 1) {
    if (text[end] === '"') {
      return { value: parseSlice(text, at, end + 1) as string, end: end + 1 };
    }
    const point = text.codePointAt(end) as number;
    if (isInvisible(point)) {
      throw new CapabilityError(`invisible character ${codeName(point)}: escape it`, text, end);
    }
  }
  throw new CapabilityError("not a JSON value", text, at);
}

function readWord(text: string, at: number): ScannedValue<PinValue> {
  const end = endOfRun(text, at, (character) => !" ,:]}".includes(character));
  const value = parseSlice(text, at, end);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new CapabilityError("number too large", text, at);
  }
  return { value: value === 0 ? 0 : value, end };
}

function parseSlice(text: string, at: number, end: number): PinValue {
  try {
    return JSON.parse(text.slice(at, end)) as PinValue;
  } catch {
    throw new CapabilityError("not a JSON value", text, at);
  }
}

function readArray(text: string, at: number, depth: number): ScannedValue<PinValue> {
  const items: PinValue[] = [];
  const end = readItems(text, at, "]", (itemAt) => {
    const item = scanJson(text, itemAt, depth + 1);
    items.push(item.value);
    return item.end;
  });
  return { value: items, end };
}

function readObject(text: string, at: number, depth: number): ScannedValue<PinValue> {
  const object: Record<string, PinValue> = {};
  const end = readItems(text, at, "}", (keyAt) => {
    if (text[keyAt] !== '"') throw new CapabilityError("expected a key", text, keyAt);
    const key = readString(text, keyAt);
    if (isInheritedName(key.value) || Object.hasOwn(object, key.value)) {
      throw new CapabilityError("key refused, or named twice", text, keyAt);
    }
    const colon = skipSpace(text, key.end);
    if (text[colon] !== ":") throw new CapabilityError("expected :", text, colon);
    const item = scanJson(text, skipSpace(text, colon + 1), depth + 1);
    object[key.value] = item.value;
    return item.end;
  });
  return { value: object, end };
}

export function writeJson(value: PinValue): string {
  if (Array.isArray(value))
    return `[${value.map((item) => writeJson(item as PinValue)).join(",")}]`;
  if (isObject(value)) {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${escaped(key)}:${writeJson(value[key] as PinValue)}`).join(",")}}`;
  }
  return typeof value === "string" ? escaped(value) : JSON.stringify(value);
}

function escaped(text: string): string {
  return Array.from(JSON.stringify(text), (character) =>
    isInvisible(character.codePointAt(0) as number) ? escapeUnits(character) : character,
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
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
