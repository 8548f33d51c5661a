// Tokens: counts tokens offline with a real tokenizer (o200k, of OpenAI's models). counting.ts derives bounds for
// other vendors.
//
// PROVIDER-TOKENS-1  The tokenizer is loaded with the first text that is counted.
// PROVIDER-TOKENS-2  The time is linear in the text: the tokenizer is quadratic in a run without a break, so long
//     runs are cut. A cut may add a token and never hides one.
// PROVIDER-TOKENS-3  Counts of recent texts are cached, up to a number of characters. The cache has two halves, of
//     which the older is dropped whole.

import { createRequire } from "node:module";

/** What is known of a text. */
export interface TextSize {
  readonly tokens: number;
  /** In UTF-8. No tokenizer in use makes more tokens than bytes. */
  readonly bytes: number;
  /** Some count every digit as one. */
  readonly digits: number;
  /** Of the bytes: those of characters beyond ASCII, for which small vocabularies have few words. */
  readonly foreignBytes: number;
}

const PIECE_CHARS = 400;
/** Of a half of what is remembered. */
const HALF_CHARS = 8_000_000;
const NOTHING: TextSize = { tokens: 0, bytes: 0, digits: 0, foreignBytes: 0 };

type Count = (text: string, options: { disallowedSpecial: Set<string> }) => number;
let count: Count | undefined;
/** What looks like a token of control is text like any other. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

let young = new Map<string, TextSize>();
let old = new Map<string, TextSize>();
let youngChars = 0;

export function sizeOf(text: string): TextSize {
  if (text === "") return NOTHING;
  const known = young.get(text);
  if (known !== undefined) return known;
  const size = old.get(text) ?? { tokens: countPieces(text), ...lettersOf(text) };
  remember(text, size);
  return size;
}

/** PROVIDER-TOKENS-3. */
function remember(text: string, size: TextSize): void {
  if (youngChars + text.length > HALF_CHARS) {
    old = young;
    young = new Map();
    youngChars = 0;
  }
  young.set(text, size);
  youngChars += text.length;
}

function countPieces(text: string): number {
  count ??= loadTokenizer();
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at);
    tokens += count(text.slice(at, end), AS_TEXT);
    at = end;
  }
  return tokens;
}

/** PROVIDER-TOKENS-2. Before a blank and a letter nothing is lost; elsewhere only between characters. */
function endOfPiece(text: string, from: number): number {
  const most = from + PIECE_CHARS;
  if (most >= text.length) return text.length;
  for (let at = most; at > from + PIECE_CHARS / 2; at -= 1)
    if (text[at] === " " && isLetter(text.charCodeAt(at + 1)) && text[at - 1] !== " ") return at;
  return isLowSurrogate(text.charCodeAt(most)) ? most - 1 : most;
}

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

function lettersOf(text: string): Omit<TextSize, "tokens"> {
  const bytes = Buffer.byteLength(text);
  let digits = 0;
  let plain = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128) plain += 1;
    if (code >= 48 && code <= 57) digits += 1;
  }
  return { bytes, digits, foreignBytes: bytes - plain };
}

/** PROVIDER-TOKENS-1. It is asked for in the middle of a call that does not wait. */
function loadTokenizer(): Count {
  const require = createRequire(import.meta.url);
  return (require("gpt-tokenizer/encoding/o200k_base") as { countTokens: Count }).countTokens;
}
