// Edit: replaces exact pieces of a text.
//
// EDIT-1  The text to replace occurs exactly once, or with `all` at least once; otherwise nothing is changed, and the
//     error has the number and the lines.
// EDIT-2  All edits apply or none. Each sees the result of the one before it.
// EDIT-3  Line endings are kept: an edit with \n matches a file with \r\n and leaves \r\n.
// EDIT-4  No intermediate text exceeds `maxChars` characters. Its length is computed before it is built, so that a
//     short call cannot exhaust the daemon's memory.

import { SysError } from "@aos/protocol";

export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** Places that are named when there are several. */
const MOST_NAMED = 10;

export function applyEdits(text: string, edits: readonly Edit[], maxChars = Infinity): string {
  const isDos = /\r\n/.test(text) && !/(?<!\r)\n/.test(text); // EDIT-3
  let edited = isDos ? text.replaceAll("\r\n", "\n") : text;
  for (const [at, edit] of edits.entries()) edited = applyOne(edited, edit, at, maxChars);
  if (isDos) mustFit(edited.length + countOf(edited, "\n"), maxChars, "with its line ends");
  return isDos ? edited.replaceAll("\n", "\r\n") : edited;
}

/** EDIT-1. */
function applyOne(text: string, { old, new: by, all }: Edit, at: number, maxChars: number): string {
  const count = countOf(text, old);
  const which = `edit ${at + 1}`;
  if (count === 1 || (all && count > 0)) {
    mustFit(text.length + count * (by.length - old.length), maxChars, `after ${which}`);
    return text.split(old).join(by);
  }
  if (count === 0)
    throw new SysError("EINVAL", `${which}: the text to replace is not in the file`, {
      hint: "give the exact text, with its spaces and line breaks; file.read shows it",
    });
  throw new SysError(
    "EINVAL",
    `${which}: the text to replace occurs ${count} times, in lines ${firstLines(text, old).join(", ")}`,
    { hint: "add surrounding text, or use all: true" },
  );
}

/** EDIT-4. */
function mustFit(length: number, maxChars: number, when: string): void {
  if (length <= maxChars) return;
  throw new SysError("EINVAL", `${when} the file would have more than ${maxChars} characters`, {
    hint: "nothing was changed; write large files with a program in the sandbox",
  });
}

function countOf(text: string, piece: string): number {
  let count = 0;
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length))
    count += 1;
  return count;
}

function firstLines(text: string, piece: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(piece); at >= 0 && lines.length < MOST_NAMED;) {
    line += countOf(text.slice(from, at), "\n");
    lines.push(line);
    from = at;
    at = text.indexOf(piece, at + piece.length);
  }
  return lines;
}
