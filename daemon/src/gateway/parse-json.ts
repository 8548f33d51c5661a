// ParseJson: parses untrusted JSON at a bounded cost. Parsing blocks all other requests, and its cost grows with the
// number of values, not with the bytes.
//
//   parseJson(text)            the value; EINVAL if it is not JSON or too large
//   new JsonScan().feed(…)     the same count, over bytes as they arrive
//
// PARSE-JSON-1  A text has at most MAX_VALUES values and MAX_DEPTH levels, counted before parsing in one pass without
//     allocation.

import { SysError } from "@aos/protocol";

export const MAX_VALUES = 100_000;
export const MAX_JSON_DEPTH = 500;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const NEWLINE = 0x0a;

export function parseJson(text: string, what = "the body"): unknown {
  new JsonScan(what).feed(Buffer.from(text));
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SysError("EINVAL", `${what} is not JSON: ${(error as Error).message}`);
  }
}

/** Counts commas and brackets outside of strings. What is no JSON is counted as well; to parse it fails. */
export class JsonScan {
  readonly #what: string;
  readonly #isLines: boolean;
  #values = 1;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /** With `isLines` every line is a text of its own. */
  constructor(what: string, { isLines = false } = {}) {
    this.#what = what;
    this.#isLines = isLines;
  }

  /** Throws at the value, or the level, that is one too many. */
  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isLines && byte === NEWLINE) this.#restart();
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isString) {
        if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isString = false;
      } else if (byte === QUOTE) this.#isString = true;
      else if (byte === COMMA) this.#count();
      else if (OPENING.has(byte)) this.#open();
      else if (CLOSING.has(byte)) this.#depth -= 1;
    }
  }

  #restart(): void {
    this.#values = 1;
    this.#depth = 0;
    this.#isString = false;
    this.#isEscaped = false;
  }

  #open(): void {
    this.#count();
    this.#depth += 1;
    if (this.#depth > MAX_JSON_DEPTH)
      throw new SysError(
        "EINVAL",
        `${this.#what} is nested more than ${MAX_JSON_DEPTH} levels deep`,
      );
  }

  #count(): void {
    this.#values += 1;
    if (this.#values <= MAX_VALUES) return;
    throw new SysError("EINVAL", `${this.#what} has more than ${MAX_VALUES} values`, {
      hint: "put large data into one string, or into a file that the agent reads",
    });
  }
}
