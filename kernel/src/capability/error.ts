// CapabilityError: a capability text that cannot be parsed, and the position of the error.
//
// ERROR-1  `at` is an offset into `text`, the whole text of the caller.
// ERROR-2  Problem and message contain no control or invisible character of the text: they are safe on a terminal.

import { isInvisible } from "./characters.ts";

const SHOWN_BEFORE = 60;
const SHOWN_AFTER = 40;

export class CapabilityError extends Error {
  override readonly name = "CapabilityError";
  readonly problem: string;
  readonly text: string;
  readonly at: number;

  constructor(problem: string, text: string, at: number) {
    const shown = visible(problem);
    super(`${shown}\n${caret(text, at)}`);
    this.problem = shown;
    this.text = text;
    this.at = at;
  }
}

/** Runs `read` on a piece of `text` that starts at `base`; its errors then point into `text`. */
export function rebaseErrors<T>(
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
  const tail = to < text.length ? "…" : "";
  return `  ${lead}${visible(text.slice(from, to))}${tail}\n  ${" ".repeat(lead.length + at - from)}^`;
}

/** As long as the text, so that the caret stays below its character. */
function visible(text: string): string {
  return Array.from(text, (character) =>
    isInvisible(character.codePointAt(0) as number) || !character.isWellFormed()
      ? "\u{fffd}".repeat(character.length)
      : character,
  ).join("");
}
