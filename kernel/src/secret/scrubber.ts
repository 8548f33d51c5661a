// Scrubber: removes secrets from everything that is recorded or shown: declared ones in every encoding (forms.ts),
// others by their format (known-formats.ts).
//
//   text(text)      the text with `[secret:NAME]` in place of each; the same text if there is none
//   json(value)     the same for every string in a value, keys too
//   stream()        for text that comes in pieces
//
// SCRUBBER-1  A finding is replaced as a whole; of two overlapping ones nothing is left.
// SCRUBBER-2  Scrubbing is idempotent.
// SCRUBBER-3  A text that is a JSON document stays one.
// SCRUBBER-4  Unsearched text never passes: a form that cannot be built throws, and an undecided part is replaced as
//     a whole.

import type { Json } from "@aos/protocol";
import { type SecretForm, formsOf } from "./forms.ts";
import { findKnown, formatNames } from "./known-formats.ts";
import { PatternIndex } from "./pattern-index.ts";
import { type Finding, isInMarker, type RedactedSpan, redact, mergeFindings } from "./redaction.ts";
import { ScrubStream } from "./scrub-stream.ts";
import { scrubJson } from "./scrub-json.ts";
import { findWrapped } from "./wrapped-lines.ts";

export interface DeclaredSecret {
  readonly name: string;
  readonly value: string;
}

/** A marker may complete a secret together with what is beside it, but hardly again and again. */
const MAX_PASSES = 8;
const UNSETTLED = "[secret:unsettled]";
const NUMBER = /^[-+.0-9eE]+$/;

export class Scrubber {
  readonly #index: PatternIndex | undefined;
  readonly #names: ReadonlySet<string>;
  /** Whether a secret could stand in JSON as a number. */
  readonly #hasNumbers: boolean;

  constructor(secrets: readonly DeclaredSecret[]) {
    const forms: SecretForm[] = secrets.flatMap(({ name, value }) => formsOf(name, value));
    this.#index = forms.length === 0 ? undefined : new PatternIndex(forms);
    this.#names = new Set([...formatNames, ...secrets.map(({ name }) => name)]);
    this.#hasNumbers = forms.some(({ text }) => NUMBER.test(text));
  }

  text(text: string): string {
    const scrubbed = this.#replaced(text);
    if (scrubbed === text) return text;
    return isDocument(text) && !isDocument(scrubbed) ? this.#document(text, scrubbed) : scrubbed;
  }

  json(value: Json): Json {
    return scrubJson(value, (text) => this.text(text), this.#hasNumbers);
  }

  stream(): ScrubStream {
    return new ScrubStream({
      find: (text) => this.#settled(text, this.#find(text)),
      couldBegin: (text) => this.#index?.couldBegin(text) ?? text.length,
      finish: (text) => this.#replaced(text),
    });
  }

  #replaced(text: string): string {
    let replaced = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const parts = this.#search(replaced);
      if (parts.length === 0) return replaced;
      replaced = redact(replaced, parts);
    }
    return UNSETTLED;
  }

  #search(text: string): readonly RedactedSpan[] {
    const found = this.#find(text);
    if (this.#index !== undefined) findWrapped(text, this.#index, found);
    return this.#settled(text, found);
  }

  #settled(text: string, found: readonly Finding[]): readonly RedactedSpan[] {
    if (found.length === 0) return NOTHING;
    return mergeFindings(found.filter((finding) => !isInMarker(text, finding, this.#names)));
  }

  #find(text: string): Finding[] {
    const found: Finding[] = [];
    this.#index?.find(text, found);
    findKnown(text, found);
    return found;
  }

  /** Of a secret that is more than the inside of a string. */
  #document(text: string, scrubbed: string): string {
    const byValue = JSON.stringify(this.json(JSON.parse(text) as Json));
    const document = this.#search(byValue).length === 0 ? byValue : JSON.stringify(scrubbed);
    return this.#search(document).length === 0 ? document : JSON.stringify(UNSETTLED);
  }
}

const NOTHING: readonly RedactedSpan[] = [];

function isDocument(text: string): boolean {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
