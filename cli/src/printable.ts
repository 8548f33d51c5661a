// Printable: words of an agent on a terminal. Without this they could move its cursor, or rename it.

/** Control characters but tab and line feed, and what turns the direction of writing. */
const UNSEEN = /(?![\t\n])[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export const printable = (text: string): string =>
  text.replaceAll(UNSEEN, (odd) => `\\u${odd.codePointAt(0)!.toString(16).padStart(4, "0")}`);
