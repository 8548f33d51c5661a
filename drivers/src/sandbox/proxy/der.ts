// DER: writes the few forms that a certificate needs. It never parses.

import { Buffer } from "node:buffer";

type Part = Uint8Array;

const MAX_SHORT = 0x7f;

/** A tag, the length, and what is in it. */
export function wrapped(tag: number, ...parts: readonly Part[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length <= MAX_SHORT) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 + bytes.length, ...bytes]);
}

export const sequence = (...parts: readonly Part[]): Buffer => wrapped(0x30, ...parts);
export const set = (...parts: readonly Part[]): Buffer => wrapped(0x31, ...parts);
export const octets = (content: Part): Buffer => wrapped(0x04, content);
export const derTrue: Buffer = wrapped(0x01, Buffer.from([0xff]));
export const derUtf8 = (content: string): Buffer => wrapped(0x0c, Buffer.from(content));

/** Bits, the last `unused` of which do not count. */
export const bits = (content: Part, unused = 0): Buffer =>
  wrapped(0x03, Buffer.from([unused]), content);

/** A number that is not negative, its highest byte first. */
export function integer(bytes: Part): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const shortest = start < 0 ? Buffer.from([0]) : bytes.subarray(start);
  return shortest[0]! > MAX_SHORT
    ? wrapped(0x02, Buffer.from([0]), shortest)
    : wrapped(0x02, shortest);
}

/** An object's name, as in `2.5.29.17`. */
export function name(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split(".").map(Number) as [number, number, ...number[]];
  return wrapped(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inSevens)]));
}

function inSevens(number: number): number[] {
  const bytes = [number & MAX_SHORT];
  for (let rest = number >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & MAX_SHORT) | 0x80);
  return bytes;
}

/** A moment, to the second. Years beyond 2049 are written in another way than those before. */
export function time(moment: Date): Buffer {
  const digits = moment.toISOString().replace(/\.\d+/, "").replaceAll(/[-:T]/g, "");
  return moment.getUTCFullYear() < 2050
    ? wrapped(0x17, Buffer.from(digits.slice(2)))
    : wrapped(0x18, Buffer.from(digits));
}

/** A context-specific tag, by number. */
export const numbered = (number: number, ...parts: readonly Part[]): Buffer =>
  wrapped(0xa0 + number, ...parts);

export const plainNumbered = (number: number, content: Part): Buffer =>
  wrapped(0x80 + number, content);
