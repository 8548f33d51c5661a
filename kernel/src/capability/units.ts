// Units: amounts in constraints. Every parser refuses unknown text, and every formatter prints the one canonical
// text.
//
//   30s 500ms 10m 1h 2d     100/min     2 0.50     1024 10MB 64KiB     2027-01-01T00:00:00Z

import { CapabilityError } from "./error.ts";
import { endOfRun } from "./scan.ts";

const DURATIONS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const PERIODS = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PERIOD_ALIASES = { sec: 1000, m: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const SIZES = { GiB: 2 ** 30, GB: 1e9, MiB: 2 ** 20, MB: 1e6, KiB: 1024, KB: 1000 } as const;
const LAST_YEAR_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Below this a bare number cannot be meant as milliseconds since 1970. */
const EARLIEST_BARE_MS = Date.UTC(2001, 8, 9);

export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** A moment, or a time after the block that holds the capability was minted. */
export type Expiry = { readonly atMs: number } | { readonly afterMs: number };

/** Plain decimal digits, no sign, no leading zero, exact in a double. */
export function readWhole(text: string): number {
  const digits = digitsOf(text);
  if (digits === "" || digits.length < text.length) {
    throw new CapabilityError("expected a whole number", text, digits.length);
  }
  if (digits.length > 15) throw new CapabilityError("number too large", text, 0);
  if (digits.length > 1 && digits.startsWith("0")) {
    throw new CapabilityError("number with a leading zero", text, 0);
  }
  return Number(digits);
}

export function readPositive(text: string): number {
  const count = readWhole(text);
  if (count === 0) throw new CapabilityError("must be at least 1", text, 0);
  return count;
}

export function readDuration(text: string): number {
  return readAmount(text, DURATIONS, "a time like 30s (ms, s, m, h, d)");
}

export function writeDuration(ms: number): string {
  return writeAmount(ms, DURATIONS);
}

export function readSize(text: string): number {
  return digitsOf(text) === text ? readWhole(text) : readAmount(text, SIZES, "bytes, like 10MB");
}

export function writeSize(bytes: number): string {
  return bytes === 0 ? "0" : writeAmount(bytes, SIZES);
}

export function readRate(text: string): Rate {
  const slash = text.indexOf("/");
  if (slash < 0) throw new CapabilityError("expected a rate like 100/min", text, text.length);
  const count = readPositive(text.slice(0, slash));
  const perMs = lookUp({ ...PERIODS, ...PERIOD_ALIASES }, text.slice(slash + 1));
  if (perMs === undefined) throw new CapabilityError("per s, min, h or d", text, slash + 1);
  return { count, perMs };
}

export function writeRate({ count, perMs }: Rate): string {
  const period = Object.entries(PERIODS).find(([, ms]) => ms === perMs)?.[0];
  return `${count}/${period}`;
}

/** Dollars with at most 6 decimals. */
export function readUsd(text: string): number {
  const [whole = "", decimals, more] = text.split(".");
  readWhole(whole);
  if (whole.length > 9) throw new CapabilityError("number too large", text, 0);
  if (decimals === undefined) return Number(whole);
  const at = whole.length + 1;
  if (more !== undefined || decimals === "" || digitsOf(decimals) !== decimals) {
    throw new CapabilityError("expected dollars like 0.50", text, at);
  }
  if (decimals.length > 6) throw new CapabilityError("more than 6 decimals", text, at + 6);
  return Number(text);
}

export function readExpiry(text: string): Expiry {
  if (digitsOf(text) === text) return { atMs: readBareMoment(text) };
  if (!text.includes("T")) return { afterMs: readTimeAfter(text) };
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || (writeMoment(ms) !== text && new Date(ms).toISOString() !== text)) {
    throw new CapabilityError("expected a moment like 2027-01-01T00:00:00Z", text, 0);
  }
  return { atMs: ms };
}

export function writeExpiry(expiry: Expiry): string {
  return "atMs" in expiry ? writeMoment(expiry.atMs) : writeDuration(expiry.afterMs);
}

/** Not so long that the moment it ends could not be written. */
function readTimeAfter(text: string): number {
  const ms = readDuration(text);
  if (ms > LAST_YEAR_MS) throw new CapabilityError("number too large", text, 0);
  return ms;
}

function readBareMoment(text: string): number {
  const ms = readWhole(text);
  if (ms < EARLIEST_BARE_MS || ms > LAST_YEAR_MS) {
    throw new CapabilityError("expected 10m, a date, or milliseconds since 1970", text, 0);
  }
  return ms;
}

function writeMoment(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

function readAmount(text: string, units: Record<string, number>, expected: string): number {
  const digits = digitsOf(text);
  const unit = lookUp(units, text.slice(digits.length));
  if (digits === "" || unit === undefined) {
    throw new CapabilityError(`expected ${expected}`, text, digits.length);
  }
  const amount = readPositive(digits) * unit;
  if (!Number.isSafeInteger(amount)) throw new CapabilityError("number too large", text, 0);
  return amount;
}

/** In the largest unit that divides it. */
function writeAmount(amount: number, units: Record<string, number>): string {
  const unit = Object.entries(units).find(([, size]) => amount % size === 0);
  return unit === undefined ? String(amount) : `${amount / unit[1]}${unit[0]}`;
}

function lookUp(units: Record<string, number>, name: string): number | undefined {
  return Object.hasOwn(units, name) ? units[name] : undefined;
}

function digitsOf(text: string): string {
  return text.slice(
    0,
    endOfRun(text, 0, (character) => character >= "0" && character <= "9"),
  );
}
