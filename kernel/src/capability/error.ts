// CapabilityError: a capability text that cannot be read, and the character where it went wrong.
//
// E1  `at` is an offset into `text`, the whole text that the caller gave.
// E2  The message holds no control or invisible character of the text: it is safe on a terminal.

import { isInvisible } from "./characters.ts";

const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 40;

export class CapabilityError extends Error {
  override readonly name = "CapabilityError";
  readonly problem: string;
  readonly text: string;
  readonly at: number;

  constructor(problem: string, text: string, at: number) {
    super(`${problem}\n${caret(text, at)}`);
    this.problem = problem;
    this.text = text;
    this.at = at;
  }
}

/** Runs `read` on a piece of `text` that starts at `base`; its errors then point into `text`. */
export function within<T>(
  text: string,
  base: number,
  read: () => T,
  { pointAtStart = false } = {},
): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    throw new CapabilityError(error.problem, text, pointAtStart ? base : base + error.at);
  }
}

function caret(text: string, at: number): string {
  const from = Math.max(0, at - SHOWN_BEFORE);
  const to = Math.min(text.length, at + SHOWN_AFTER);
  const lead = from > 0 ? "…" : "";
  const shown = Array.from({ length: to - from }, (_, i) => visible(text.charCodeAt(from + i)));
  return `  ${lead}${shown.join("")}${to < text.length ? "…" : ""}\n  ${" ".repeat(lead.length + at - from)}^`;
}

function visible(unit: number): string {
  return isInvisible(unit) || unit === 0xfffd ? "\u{fffd}" : String.fromCharCode(unit);
}
