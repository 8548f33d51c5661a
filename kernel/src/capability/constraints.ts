// Constraints: what narrows a capability besides its pattern and verbs.
//
// CONSTRAINTS-1  Every parsed constraint is enforced in chain.ts or returned to the gate as a limit.
// CONSTRAINTS-2  An unknown or repeated constraint, or an invalid value, refuses the capability.
// CONSTRAINTS-3  They print in the order of ROWS, then pins by name; `hold:both` is the default and not
//     printed.
// CONSTRAINTS-4  A pin fixes one argument and leaves the others free. `args:pinned` allows no others.

import { CapabilityError, rebaseErrors } from "./error.ts";
import {
  isInheritedName,
  type PinValue,
  type ScannedValue,
  scanJson,
  readString,
  writeJson,
} from "./json.ts";
import { endOfRun, readItems, skipSpace } from "./scan.ts";
import {
  type Expiry,
  type Rate,
  readDuration,
  readExpiry,
  readPositive,
  readRate,
  readSize,
  readUsd,
  writeDuration,
  writeExpiry,
  writeRate,
  writeSize,
} from "./units.ts";

/** What a holder may do with it: use it itself, hand it on to a child, or both. */
export type HoldMode = "use" | "grant" | "both";

export interface ArgumentPin {
  readonly name: string;
  readonly value: PinValue;
}

export interface Constraints {
  /** Uses per time; a bucket that holds `count` and refills evenly. */
  readonly rate?: Rate;
  /** Uses, all in all. */
  readonly max?: number;
  readonly timeoutMs?: number;
  readonly expires?: Expiry;
  /** Dollars that may be spent under it, all in all. */
  readonly usd?: number;
  /** Bytes that may be moved under it, all in all. */
  readonly bytes?: number;
  readonly hold?: Exclude<HoldMode, "both">;
  /** No arguments but the pinned ones. */
  readonly onlyPinned?: true;
  /** Arguments that must be equal to these values; sorted by name. */
  readonly pins?: readonly ArgumentPin[];
}

/** Does it fix arguments of the call? */
export function isPinning({ pins, onlyPinned }: Constraints): boolean {
  return pins !== undefined || onlyPinned === true;
}

type Draft = { -readonly [K in keyof Constraints]: Constraints[K] };

interface Row {
  readonly name: string;
  readonly read: (value: string, into: Draft) => void;
  readonly write: (from: Constraints) => string | undefined;
}

/** setTimeout takes no longer delay. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const ROWS: readonly Row[] = [
  {
    name: "rate",
    read: (value, into) => (into.rate = readRate(value)),
    write: ({ rate }) => rate && writeRate(rate),
  },
  {
    name: "max",
    read: (value, into) => (into.max = readPositive(value)),
    write: ({ max }) => max?.toString(),
  },
  {
    name: "timeout",
    read: (value, into) => (into.timeoutMs = readTimeout(value)),
    write: ({ timeoutMs }) => (timeoutMs === undefined ? undefined : writeDuration(timeoutMs)),
  },
  {
    name: "expires",
    read: (value, into) => (into.expires = readExpiry(value)),
    write: ({ expires }) => expires && writeExpiry(expires),
  },
  {
    name: "usd",
    read: (value, into) => (into.usd = readUsd(value)),
    write: ({ usd }) => usd?.toString(),
  },
  {
    name: "bytes",
    read: (value, into) => (into.bytes = readSize(value)),
    write: ({ bytes }) => (bytes === undefined ? undefined : writeSize(bytes)),
  },
  {
    name: "hold",
    read: (value, into) => {
      const hold = readHold(value);
      if (hold !== "both") into.hold = hold;
    },
    write: ({ hold }) => hold,
  },
  {
    name: "args",
    read: (value, into) => {
      if (value !== "pinned") throw new CapabilityError("expected pinned", value, 0);
      into.onlyPinned = true;
    },
    write: ({ onlyPinned }) => (onlyPinned === true ? "pinned" : undefined),
  },
];

const PIN = "pin.";
const NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/** Collects constraints one by one and refuses the second of a name. */
export class ConstraintReader {
  readonly #draft: Draft = {};
  readonly #seen = new Set<string>();
  readonly #pins = new Map<string, PinValue>();

  /** `value` is read by the constraint's own row; errors point into it. */
  add(name: string, value: string, text: string, nameAt: number, valueAt: number): void {
    const row = ROWS.find((row) => row.name === name);
    if (row === undefined) throw new CapabilityError(`unknown constraint "${name}"`, text, nameAt);
    this.#once(name, text, nameAt);
    rebaseErrors(text, valueAt, () => row.read(value, this.#draft));
  }

  addPin(argument: string, value: PinValue, text: string, nameAt: number): void {
    if (isInheritedName(argument)) {
      throw new CapabilityError("no argument has that name", text, nameAt);
    }
    this.#once(`${PIN}${argument}`, text, nameAt);
    this.#pins.set(argument, value);
  }

  done(): Constraints {
    if (this.#pins.size === 0) return this.#draft;
    const names = Array.from(this.#pins.keys()).sort();
    const pins = names.map((name) => ({ name, value: this.#pins.get(name) as PinValue }));
    return { ...this.#draft, pins };
  }

  #once(name: string, text: string, at: number): void {
    if (this.#seen.has(name)) throw new CapabilityError(`"${name}" is given twice`, text, at);
    this.#seen.add(name);
  }
}

/** Reads `{name:value,…}` to the end of the text. */
export function readConstraints(text: string, open: number): Constraints {
  const reader = new ConstraintReader();
  const first = skipSpace(text, open + 1);
  if (text[first] === "}") throw new CapabilityError("empty braces", text, first);
  const end = readItems(text, open, "}", (at) => readOne(reader, text, at));
  if (end < text.length) throw new CapabilityError("text after }", text, end);
  return reader.done();
}

function readOne(reader: ConstraintReader, text: string, nameAt: number): number {
  const nameEnd = endOfRun(text, nameAt, isNameCharacter);
  const name = text.slice(nameAt, nameEnd);
  if (name.startsWith(PIN)) return readPin(reader, text, nameAt, nameEnd);
  const valueAt = afterColon(text, nameEnd);
  const end = endOfRun(text, valueAt, (character) => !" ,}".includes(character));
  reader.add(name, text.slice(valueAt, end), text, nameAt, valueAt);
  return end;
}

function readPin(reader: ConstraintReader, text: string, nameAt: number, nameEnd: number): number {
  const argument = readArgument(text, nameAt, nameEnd);
  const json = scanJson(text, afterColon(text, argument.end));
  reader.addPin(argument.value, json.value, text, nameAt);
  return json.end;
}

/** `pin.to`, or any other name in quotes: `pin."to whom"`. */
function readArgument(text: string, nameAt: number, nameEnd: number): ScannedValue<string> {
  const value = text.slice(nameAt + PIN.length, nameEnd);
  if (value !== "") return { value, end: nameEnd };
  if (text[nameEnd] === '"') return readString(text, nameEnd);
  throw new CapabilityError("no argument has that name", text, nameAt);
}

function afterColon(text: string, colon: number): number {
  if (text[colon] !== ":") throw new CapabilityError("expected name:value", text, colon);
  return skipSpace(text, colon + 1);
}

function isNameCharacter(character: string): boolean {
  return NAME_CHARACTERS.includes(character);
}

export function writeConstraints(constraints: Constraints): string {
  const parts = ROWS.map((row) => [row.name, row.write(constraints)] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`);
  for (const { name, value } of constraints.pins ?? []) {
    parts.push(`${PIN}${isPlainName(name) ? name : writeJson(name)}:${writeJson(value)}`);
  }
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** Can it be written without quotes? */
function isPlainName(name: string): boolean {
  return name !== "" && Array.from(name).every((character) => isNameCharacter(character));
}

function readTimeout(text: string): number {
  const ms = readDuration(text);
  if (ms > LONGEST_TIMEOUT_MS) throw new CapabilityError("longer than 24 days", text, 0);
  return ms;
}

function readHold(text: string): HoldMode {
  if (text === "use" || text === "grant" || text === "both") return text;
  throw new CapabilityError("expected use, grant or both", text, 0);
}
