// Edit: replaces exact pieces of a text.
//
// E1  A piece that is to be replaced is there exactly once, unless all of it are meant; else nothing is
//     changed, and how often and where it is is said.
// E2  All edits fit, or none is made. Each sees what the one before it made.
// E3  Line ends are as they were: an edit written with \n fits a file with \r\n, and leaves \r\n.

import { SysError } from "@aos/protocol";

export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

/** Places that are named when there are several. */
const MOST_NAMED = 10;

export function applyEdits(text: string, edits: readonly Edit[]): string {
  const isDos = /\r\n/.test(text) && !/(?<!\r)\n/.test(text); // E3
  let edited = isDos ? text.replaceAll("\r\n", "\n") : text;
  for (const [at, edit] of edits.entries()) edited = applyOne(edited, edit, at);
  return isDos ? edited.replaceAll("\n", "\r\n") : edited;
}

/** E1. */
function applyOne(text: string, { old, new: by, all }: Edit, at: number): string {
  const places = placesOf(text, old);
  if (places.length === 1 || (all && places.length > 0)) return text.split(old).join(by);
  const which = `edit ${at + 1}`;
  if (places.length === 0)
    throw new SysError("EINVAL", `${which}: the text to replace is not in the file`, {
      hint: "give it exactly as it is, with its spaces and line ends; file.read shows it",
    });
  const lines = places.slice(0, MOST_NAMED).map((place) => text.slice(0, place).split("\n").length);
  throw new SysError(
    "EINVAL",
    `${which}: the text to replace is there ${places.length} times, in lines ${lines.join(", ")}`,
    { hint: "give more of what is around it, or all: true" },
  );
}

function placesOf(text: string, piece: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length))
    places.push(at);
  return places;
}
