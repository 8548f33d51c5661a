// CutToWidth: a text that fits into so many columns of a terminal.
//
// CUT-TO-WIDTH-1  What is cut ends with `…`, never within a wide character or a colour code, and the colour ends too.

import { shownWidth } from "./shown-width.ts";

/** Colour codes, and what a reader takes for one character. */
// oxlint-disable-next-line no-control-regex
const PIECES = /\u001b\[[0-9;]*m|[\s\S]/gu;
const RESET = "\u001b[0m";

export function cutToWidth(text: string, columns: number): string {
  if (shownWidth(text) <= columns) return text;
  let width = 0;
  let cut = "";
  let isColoured = false;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece.startsWith("\u001b[")) {
      cut += piece;
      isColoured = true;
      continue;
    }
    width += shownWidth(piece);
    if (width > columns - 1) break;
    cut += piece;
  }
  return `${cut}…${isColoured ? RESET : ""}`; // CUT-TO-WIDTH-1
}
