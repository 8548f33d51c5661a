// Wrapped lines: base64 and hex that a tool broke into lines (`base64` after 76 characters, `xxd -p`
// after 60). A secret in it may be cut by a line break, also by one that JSON has escaped.
//
//   findWrapped(text, index, found)   searches such lines as if they were joined

import { runEnd, alphabet, isOf } from "./format-shapes.ts";
import type { PatternIndex } from "./pattern-index.ts";
import type { Finding } from "./redaction.ts";

/** Shortest line length that wraps; the last word of an ordinary line is shorter. */
const LEAST_LINE = 32;
const ENCODED = alphabet("0-9", "A-Z", "a-z", "+/_=-");
const BREAKS = ["\r\n", "\n", "\\r\\n", "\\n"];

interface Line {
  readonly start: number;
  readonly end: number;
}

export function findWrapped(text: string, index: PatternIndex, found: Finding[]): void {
  for (const mark of ["\n", "\\n"]) {
    let at = text.indexOf(mark);
    while (at >= 0) {
      const lines = linesAround(text, at);
      if (lines.length > 1) findJoined(text, lines, index, found);
      at = text.indexOf(mark, Math.max(at + mark.length, lines.at(-1)?.end ?? 0));
    }
  }
}

/** The line that ends at the break, if it is one of encoded text, and those that continue it. */
function linesAround(text: string, newline: number): Line[] {
  let end = newline;
  if (text.startsWith("\r", newline - 1)) end = newline - 1;
  else if (text.startsWith("\\r", newline - 2)) end = newline - 2;
  let start = end;
  while (start > 0 && isOf(ENCODED, text.charCodeAt(start - 1))) start--;
  const lines: Line[] = [];
  while (end - start >= LEAST_LINE) {
    lines.push({ start, end });
    const gap = BREAKS.find((mark) => text.startsWith(mark, end));
    if (gap === undefined) return lines;
    start = end + gap.length;
    end = runEnd(text, start, ENCODED);
  }
  if (end > start && lines.length > 0) lines.push({ start, end });
  return lines;
}

function findJoined(
  text: string,
  lines: readonly Line[],
  index: PatternIndex,
  found: Finding[],
): void {
  const joined = lines.map(({ start, end }) => text.slice(start, end)).join("");
  const here: Finding[] = [];
  index.find(joined, here);
  for (const { start, end, name } of here)
    found.push({ start: placeOf(lines, start), end: placeOf(lines, end - 1) + 1, name });
}

/** Where in the text a character of the joined lines is. */
function placeOf(lines: readonly Line[], at: number): number {
  let rest = at;
  for (const { start, end } of lines) {
    if (rest < end - start) return start + rest;
    rest -= end - start;
  }
  throw new Error("a place beyond the lines");
}
