// Explain: why a passage was found, feature by feature: what the feature saw, in words, and how much it added to the
// score.
//
// EXPLAIN-1  Only features that raised the score are reasons, the strongest first.

import type { MatchReason } from "@aos/protocol";
import { aroundOf, coverage, FEATURES, type Feature } from "./features.ts";
import type { ReadQuery } from "./query.ts";
import type { Retrieval, Weights } from "./retrieve.ts";
import { indexTermsOf } from "./terms.ts";
import type { TextScores } from "./text-scores.ts";

const MOST_REASONS = 6;
/** What adds less is no reason. */
const LEAST = 0.02;

export function explain(
  { row, features, candidate }: Retrieval,
  query: ReadQuery,
  text: TextScores,
  weights: Weights,
): MatchReason[] {
  const wordsIn = (mask: number): string =>
    text.terms
      .flatMap(({ term }, bit) => ((mask & (1 << bit)) === 0 ? [] : [wordOf(term, query)]))
      .join(", ");
  const { scores } = candidate;
  const { near, far } = aroundOf(candidate);
  const maskOf = (rows: readonly number[]): number =>
    rows.reduce((mask, one) => mask | scores.ownMask[one]!, 0);
  const own = scores.ownMask[candidate.row]!;
  const inHead = scores.anyMask[candidate.row]! & ~own;
  const similarity = candidate.meanings?.own[candidate.row];
  const says: Partial<Record<Feature, () => string>> = {
    coverage: () =>
      own === 0 ? "" : `words: ${wordsIn(own)} (${percent(coverage(text, own))} of the query)`,
    text: () => (own === 0 ? "" : "these words are rare elsewhere"),
    head: () => (inHead === 0 ? "" : `heading or path: ${wordsIn(inHead)}`),
    headCoverage: () => (inHead === 0 ? "" : `heading or path: ${wordsIn(inHead)}`),
    neighbour: () => (maskOf(near) === 0 ? "" : `next to: ${wordsIn(maskOf(near))}`),
    far: () => (maskOf(far) === 0 ? "" : `two steps from: ${wordsIn(maskOf(far))}`),
    windowCoverage: () => (maskOf(near) === 0 ? "" : "with its neighbours"),
    group: () => (scores.group[row.group] === 0 ? "" : "the same session or file matches"),
    meaning: () => (similarity === undefined ? "" : "similar meaning around it"),
    ownMeaning: () =>
      similarity === undefined || Number.isNaN(similarity)
        ? ""
        : `similar meaning (${similarity.toFixed(2)})`,
    reply: () => "answers a question that matches",
    names: () => "names it",
    author: () => `written by ${row.passage.author}`,
    otherAuthor: () => "",
    question: () => "",
    length: () => "",
    when: () => "tells when",
    who: () => "names somebody or something",
    date: () => "the date fits",
    recency: () => "recent",
    opening: () => "the beginning of its file",
  };
  return FEATURES.map((name) => ({
    feature: name,
    added: Math.round(features[name] * weights[row.kind][name] * 1000) / 1000,
    says: says[name]?.() ?? "",
  }))
    .filter(({ added, says: words }) => added >= LEAST && words !== "")
    .sort((a, b) => b.added - a.added || (a.feature < b.feature ? -1 : 1))
    .slice(0, MOST_REASONS);
}

const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** A term as the query spells it. */
function wordOf(term: string, { text }: ReadQuery): string {
  const words = text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return words.find((word) => indexTermsOf(word).includes(term)) ?? term;
}
