// Query: what a search asks for, read once: its terms, the people and days that it names, and what sort of answer it
// wants.

import { datesIn, isTimeQuestion, type DateRange } from "./dates.ts";
import { properNamesIn, indexTermsOf } from "./terms.ts";
import type { QuantizedVector } from "./vector-table.ts";

export interface ReadQuery {
  readonly text: string;
  readonly terms: readonly string[];
  /** Terms of the names in it. */
  readonly nameTerms: ReadonlySet<string>;
  readonly dates: readonly DateRange[];
  readonly asksWhen: boolean;
  /** Who, where, which: a name answers it. */
  readonly asksName: boolean;
  readonly words: ReadonlySet<string>;
  readonly vector?: QuantizedVector | undefined;
}

export function readQuery(
  text: string,
  more: { readonly today?: number; readonly vector?: QuantizedVector | undefined } = {},
): ReadQuery {
  return {
    text,
    terms: [...new Set(indexTermsOf(text))],
    nameTerms: new Set(properNamesIn(`x ${text}`).flatMap(indexTermsOf)),
    dates: datesIn(text, more.today),
    asksWhen: isTimeQuestion(text),
    asksName:
      /\b(?:who|whom|whose|where|which|what (?:is|was) the name|(?:what|which) (?:city|country|place|book|movie|film|song|band|game|restaurant|company|town|breed|kind|type))\b/i.test(
        text,
      ),
    words: new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
    vector: more.vector,
  };
}
