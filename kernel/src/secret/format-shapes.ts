// Format shapes: how an undeclared credential is distinguished from ordinary text, once its anchor
// (`ghp_`, `://`) is found.
//
// FORMAT-SHAPES-1  Each shape reads forward, and stops where the next anchor could begin: the time for a
//     text is in proportion to its length, whatever the text.
// FORMAT-SHAPES-2  A token begins where a word begins and ends where it ends. The `n` of an escaped line
//     break is no part of a word.

import { followsEscape } from "./escapes.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The credential of which the anchor stands at `at`, if it is one. */
export type MatchShape = (text: string, at: number, anchor: string) => Span | undefined;

export type Alphabet = Uint8Array;

/** Of ranges such as `a-z`, and of single characters. */
export function alphabet(...parts: readonly string[]): Alphabet {
  const table = new Uint8Array(128);
  for (const part of parts) {
    const isRange = /^[0-9A-Za-z]-[0-9A-Za-z]$/.test(part);
    if (isRange) table.fill(1, part.charCodeAt(0), part.charCodeAt(2) + 1);
    else for (const mark of part) table[mark.charCodeAt(0)] = 1;
  }
  return table;
}

export const DIGITS = alphabet("0-9");
export const HEX = alphabet("0-9", "a-f");
export const ALPHANUMERIC = alphabet("0-9", "A-Z", "a-z");
export const WORD = alphabet("0-9", "A-Z", "a-z", "_");
export const URL_SAFE = alphabet("0-9", "A-Z", "a-z", "_-");
export const DOTTED = alphabet("0-9", "A-Z", "a-z", "_-.");
export const BASE64 = alphabet("0-9", "A-Z", "a-z", "+/");
/** What stands between a name and its value in JSON, YAML, XML, shell and HTTP. */
const BETWEEN = alphabet(" \t\"'`:=\\><,");
const MOST_BETWEEN = 10;

export const isOf = (set: Alphabet, unit: number): boolean => unit < 128 && set[unit] === 1;

/** Where the run of such characters ends; looks at no more than `most` of them. */
export function runEnd(text: string, from: number, set: Alphabet, most = Infinity): number {
  const stop = Math.min(text.length, from + most);
  let at = from;
  while (at < stop && isOf(set, text.charCodeAt(at))) at++;
  return at;
}

export function isWordStart(text: string, at: number, word = ALPHANUMERIC): boolean {
  return at === 0 || !isOf(word, text.charCodeAt(at - 1)) || followsEscape(text, at);
}

function isWordEnd(text: string, at: number): boolean {
  return at >= text.length || !isOf(ALPHANUMERIC, text.charCodeAt(at));
}

/** The anchor and what follows it: `least` characters of the alphabet, and no more than `most`. */
export function tokenShape(of: Alphabet, least: number, most = Infinity): MatchShape {
  return (text, at, anchor) => {
    if (!isWordStart(text, at)) return undefined;
    const from = at + anchor.length;
    const end = runEnd(text, from, of, most + 1);
    const length = end - from;
    if (length < least || length > most || !isWordEnd(text, end)) return undefined;
    return { start: at, end };
  };
}

/** A value of exactly so many characters after a name that says what it is. */
export function namedShape(of: Alphabet, length: number): MatchShape {
  return (text, at, anchor) => {
    const start = valueStart(text, at + anchor.length);
    if (start === undefined) return undefined;
    return runEnd(text, start, of, length + 1) === start + length
      ? { start, end: start + length }
      : undefined;
  };
}

/** The path of a URL whose host and path are the credential. */
export function pathBelow(of: Alphabet, least: number): MatchShape {
  return (text, at, anchor) => {
    const start = at + anchor.length;
    const end = runEnd(text, start, of);
    return end - start >= least ? { start, end } : undefined;
  };
}

/** After a name: past the quotes and the sign that says that a value comes. */
export function valueStart(text: string, nameEnd: number): number | undefined {
  const start = runEnd(text, nameEnd, BETWEEN, MOST_BETWEEN);
  for (let at = nameEnd; at < start; at++) if (":=>,".includes(text.charAt(at))) return start;
  return undefined;
}
