// Split text: documents by headings and paragraphs. A section keeps the headings above it.
//
// SPLIT-1  Every line of the text is in exactly one passage, in order.
// SPLIT-2  The time is linear in the length of the text, and no passage is much longer than a section may be.

import type { Passage } from "./content.ts";
import { cutLong } from "./cut-long.ts";

/** In characters: a passage that is longer says more than one thing. */
const LONG_SECTION = 1600;
const LONGEST_TITLE = 300;
const HEADING = /^(#{1,6})[ \t]+(\S.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

export function splitDocument(text: string): Passage[] {
  const passages: Passage[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let start = 1;
  let isFenced = false;
  const flush = (next: number) => {
    const body = lines.join("\n").trim();
    if (body !== "") passages.push(...pieces(body, path.filter(Boolean).join(" › "), start));
    lines = [];
    start = next;
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    if (heading !== null) {
      flush(index + 1);
      path.length = heading[1]!.length - 1;
      path[heading[1]!.length - 1] = titleOf(heading[2]!);
    }
    lines.push(line);
  }
  flush(0);
  return passages;
}

/** Without the signs that may close a heading; in a loop, since a pattern would take quadratic time. */
function titleOf(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === "#" || text[end - 1] === " ")) end--;
  return text.slice(0, Math.min(end === 0 ? text.length : end, LONGEST_TITLE));
}

/** A long section in pieces of whole paragraphs, or of whole lines where a paragraph is long. */
function pieces(body: string, head: string, line: number): Passage[] {
  const found: Passage[] = [];
  let text = "";
  let at = line;
  let from = line;
  const push = (): void => {
    for (const piece of cutLong(text, 2 * LONG_SECTION)) {
      if (piece.text.trim() !== "")
        found.push({ text: piece.text.trim(), head, line: from + piece.line - 1 });
    }
    text = "";
    from = at;
  };
  for (const part of body.split(/(?<=\n\n)|(?<=\n)(?=\||- |\* |\d{1,9}\. )/)) {
    if (text !== "" && text.length + part.length > LONG_SECTION) push();
    text += part;
    for (const sign of part) if (sign === "\n") at++;
  }
  push();
  return found;
}
