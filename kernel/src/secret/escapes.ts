// Escapes: where a JSON escape (`\n`, `\u0022`) begins and ends. A part of a text that is replaced
// never begins or ends in the middle of one, so that a JSON string stays a JSON string.

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const LETTER_U = 0x75;
const LONGEST = 6;

/** Where the escape begins in whose middle `at` is; `at` itself when it is in none. */
export function escapeStart(text: string, at: number): number {
  for (let from = at - 1; from >= 0 && from > at - LONGEST; from--) {
    if (text.charCodeAt(from) !== BACKSLASH) continue;
    if (beginsEscape(text, from) && from + escapeLength(text, from) > at) return from;
  }
  return at;
}

/** Where the escape ends in whose middle `at` is; `at` itself when it is in none. */
export function escapeEnd(text: string, at: number): number {
  const start = escapeStart(text, at);
  return start === at ? at : Math.min(text.length, start + escapeLength(text, start));
}

/** Whether an escape of JSON or of a URL ends at `at`: the letter before it is then no letter. */
export function followsEscape(text: string, at: number): boolean {
  if (at >= 3 && text.charCodeAt(at - 3) === PERCENT && areHex(text, at - 2, at)) return true;
  const start = escapeStart(text, at - 1);
  return start < at - 1 && start + escapeLength(text, start) === at;
}

function escapeLength(text: string, at: number): number {
  const isUnicode = text.charCodeAt(at + 1) === LETTER_U && areHex(text, at + 2, at + LONGEST);
  return isUnicode ? LONGEST : 2;
}

/** A backslash after another that begins an escape is itself the one that is escaped. */
function beginsEscape(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && text.charCodeAt(from - 1) === BACKSLASH) from--;
  return (at - from) % 2 === 0;
}

function areHex(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at) | 0x20;
    const isDigit = unit >= 0x30 && unit <= 0x39;
    if (!isDigit && !(unit >= 0x61 && unit <= 0x66)) return false;
  }
  return true;
}
