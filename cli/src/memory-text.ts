// What is in memory, as text: in full, or as much of it as fits a row of a table.
//
// MEMORY-TEXT-1  What an agent wrote does nothing to a terminal. Into a file or a pipe it goes as it is.

import type { Json } from "@aos/protocol";
import { printable } from "./printable.ts";

const MOST_SHOWN = 80;

export function wholeText(data: Json, { terminal }: { readonly terminal: boolean }): string {
  const text = typeof data === "string" ? data : JSON.stringify(data, null, 2);
  return terminal ? printable(text) : text;
}

export function oneLine(data: Json): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const characters = Array.from(printable(text.replaceAll(/\s+/g, " ")));
  return characters.length <= MOST_SHOWN
    ? characters.join("")
    : `${characters.slice(0, MOST_SHOWN).join("")}…`;
}
