// Terms: the content words of a text in the form in which they are indexed and looked up.
//
//   indexTermsOf("She bought two bicycles")     ["buy", "two", "bicycl"]
//
// TERMS-1  The same text has the same terms everywhere: in the index, in a query, on every node.
// TERMS-2  Function words are no terms. Inflected forms of a word share one term.
// TERMS-3  An identifier has the term of the whole and those of its parts.

import { stemmer } from "stemmer";
import { IRREGULAR, STOP_WORDS } from "./word-lists.ts";

const WORD = /[\p{L}\p{N}_$]+(?:['’](?:s|t|re|ve|ll|d|m))?/gu;
/** Digits belong to the letters before them: `sha256` is one word. */
const PARTS =
  /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+\p{N}*|\p{Lu}+\p{N}*|\p{N}+|[^\p{Lu}\p{Ll}\p{N}_$]+/gu;
const CLITIC = /['’](?:s|t|re|ve|ll|d|m)$/u;
/** Longer ones are no words: keys, digests, encoded bytes. */
const LONGEST = 40;
const MOST_STEMS_CACHED = 50_000;

const stems = new Map<string, string>();

function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const base = IRREGULAR.get(word) ?? word;
  const stem = /^[a-z]+$/.test(base) && base.length > 2 ? stemmer(base) : base;
  if (stems.size >= MOST_STEMS_CACHED) stems.clear();
  stems.set(word, stem);
  return stem;
}

/** Every term in the order of the text, repetitions included. */
export function indexTermsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [found] of text.normalize("NFKC").matchAll(WORD)) addTerms(found, terms);
  return terms;
}

function addTerms(found: string, terms: string[]): void {
  const word = found.replace(CLITIC, "");
  const lower = word.toLowerCase();
  if (lower.length > LONGEST || STOP_WORDS.has(lower)) return;
  const isPlain = lower === word || /^\p{Lu}\p{Ll}*$/u.test(word);
  if (isPlain && !/[_$\d]/.test(word)) {
    if (lower.length > 1 || lower > "\u007f") terms.push(stemOf(lower));
    return;
  }
  const parts = word.match(PARTS) ?? [];
  terms.push(stemOf(lower)); // TERMS-3
  if (parts.length < 2) return;
  for (const part of parts) {
    const small = part.toLowerCase();
    if (small.length > 1 && !STOP_WORDS.has(small)) terms.push(stemOf(small));
  }
}

/** Words that begin with a capital letter elsewhere than at the start of a sentence: names, mostly. */
export function properNamesIn(text: string): string[] {
  return [...text.matchAll(/(?<![.!?…:"“]\s*|^\s*)\b(\p{Lu}[\p{L}\p{N}]+)/gu)]
    .map(([, name]) => name!)
    .filter((name) => !STOP_WORDS.has(name.toLowerCase()));
}
