// Memory content as text: in full, or cut to fit a table cell.
//
// MEMORY-TEXT-1  Content written by an agent cannot control a terminal. Into a file or pipe it is written unchanged.

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
