// ScrubStream: scrubs text that comes in pieces, as a model's tokens do.
//
//   push(piece)   what can be shown by now
//   end()         the rest
//
// SCRUB-STREAM-1  However a text is cut, what comes out is the same.
// SCRUB-STREAM-2  Held back is only what may still turn out to be a secret: as a rule the last word. What
//     was handed out is remembered for a while, since the meaning of a word may depend on those before.
//
// What is shown live is provisional. Lines that a tool wrapped (wrapped-lines.ts) are joined only in
// the whole text, which is what is recorded.

import { type RedactedSpan, redact } from "./redaction.ts";

/** The most that is held back: longer than any key in a file. */
const MAX_HELD = 1 << 16;
const MAX_WORD = 4096;
const CONTEXT = 256;
/** An escape may reach so far beyond what is in it. */
const MARGIN = 6;
const WORD_BREAKS = " \t\r\n\"'<>`";
const BLOCK_START = "-----BEGIN";
const LONGEST_BLOCK_LABEL = 64;

/** What a stream needs of its scrubber. */
export interface SecretSearch {
  find(text: string): readonly RedactedSpan[];
  couldBegin(text: string): number;
  /** What is left to do when the parts of a text are replaced. */
  finish(text: string): string;
}

export class ScrubStream {
  readonly #search: SecretSearch;
  /** What was shown last, as it was, then what is held back. */
  #text = "";
  #shown = 0;

  constructor(search: SecretSearch) {
    this.#search = search;
  }

  push(piece: string): string {
    this.#text += piece;
    const parts = this.#search.find(this.#text);
    return this.#show(parts, this.#safeEnd(parts));
  }

  end(): string {
    return this.#show(this.#search.find(this.#text), this.#text.length);
  }

  /** Up to where nothing that comes can change what is shown. */
  #safeEnd(parts: readonly RedactedSpan[]): number {
    const text = this.#text;
    const open = parts.find(({ end }) => end > text.length - MARGIN)?.start ?? text.length;
    let safe = Math.min(open, this.#search.couldBegin(text), openBlock(text));
    for (let before = -1; before !== safe;) {
      before = safe;
      const word = wordStart(text, safe);
      safe = parts.find(({ start, end }) => start < word && word < end)?.start ?? word;
    }
    const bounded = Math.max(safe, text.length - MAX_HELD, this.#shown);
    return parts.find(({ start, end }) => start < bounded && bounded < end)?.end ?? bounded;
  }

  #show(parts: readonly RedactedSpan[], to: number): string {
    const from = this.#shown;
    const hidden = parts
      .filter(({ start, end }) => end > from && start < to)
      .map((part) => ({ ...part, start: Math.max(part.start, from) - from, end: part.end - from }));
    const shown = redact(this.#text.slice(from, to), hidden);
    const keep = Math.max(0, to - CONTEXT);
    this.#text = this.#text.slice(keep);
    this.#shown = to - keep;
    return this.#search.finish(shown);
  }
}

/** Where the word begins that `from` is in, if that is not too far back. */
function wordStart(text: string, from: number): number {
  const least = Math.max(0, text.length - MAX_WORD);
  let at = from;
  while (at > least && !WORD_BREAKS.includes(text.charAt(at - 1))) at--;
  return at;
}

/** Where a block begins whose first line is not complete. */
function openBlock(text: string): number {
  const near = text.slice(-LONGEST_BLOCK_LABEL);
  const at = near.lastIndexOf(BLOCK_START);
  return at < 0 ? text.length : text.length - near.length + at;
}
