// Visible text: escapes characters in foreign text that change the direction of writing, hide or erase text, or move
// a cursor, so that a reader sees them.
//
// Inside JSON text the escapes denote the same characters, so nothing is lost.

/** Control, format and private characters, line separators, and what has no shape of its own. */
const UNSEEN = /(?!\t|\n|\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]/gu;

/** Tabs and line breaks stay, and so does what asks for the picture of an emoji. */
export const visibleText = (text: string): string =>
  text.replaceAll(UNSEEN, (odd) =>
    Array.from({ length: odd.length }, (_, at) => escaped(odd.charCodeAt(at))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
