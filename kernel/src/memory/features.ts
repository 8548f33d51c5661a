// Features: what the reranker knows of a candidate. Each is a number with a meaning of its own, and each can say itself
// in words (explain.ts).
//
// FEATURES-1  Scores are compared within one query only: those without a natural scale are standardized over its
//     candidates (mean 0, deviation 1).

import { dateFit } from "./dates.ts";
import type { ReadQuery } from "./query.ts";
import type { PassageRow, IndexSegment } from "./segment.ts";
import type { SegmentScores, TextScores } from "./text-scores.ts";

export const FEATURES = [
  "text",
  "head",
  "neighbour",
  "far",
  "group",
  "meaning",
  "ownMeaning",
  "coverage",
  "headCoverage",
  "windowCoverage",
  "reply",
  "names",
  "author",
  "otherAuthor",
  "question",
  "length",
  "when",
  "who",
  "date",
  "recency",
  "opening",
] as const;
export type Feature = (typeof FEATURES)[number];

const STANDARDIZED: readonly Feature[] = [
  "text",
  "head",
  "neighbour",
  "far",
  "group",
  "meaning",
  "ownMeaning",
  "recency",
];

/** In terms: a row of fewer says little, and one of more says no more for it. */
const LONG_ENOUGH = 8;

export type FeatureValues = Record<Feature, number>;

/** Similarities of the rows of a segment to the query; NaN where there is none. */
export interface Meanings {
  readonly own: Float32Array;
  /** Averaged with its neighbours'. */
  readonly averaged: Float32Array;
}

/** A row among the candidates of one search. */
export interface RetrievalCandidate {
  readonly segment: IndexSegment;
  readonly scores: SegmentScores;
  readonly meanings: Meanings | undefined;
  readonly row: number;
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly isSeen: (row: number) => boolean;
}

/** The rows around one that may be seen: one and two steps away. */
export function aroundOf({ row, before, after, isSeen }: RetrievalCandidate): {
  readonly near: readonly number[];
  readonly far: readonly number[];
} {
  const prev = before[row]!;
  const next = after[row]!;
  const seen = (one: number): boolean => one >= 0 && isSeen(one);
  return {
    near: [prev, next].filter(seen),
    far: [prev < 0 ? -1 : before[prev]!, next < 0 ? -1 : after[next]!].filter(seen),
  };
}

export function featuresOf(
  query: ReadQuery,
  text: TextScores,
  candidates: readonly RetrievalCandidate[],
): FeatureValues[] {
  const all = candidates.map((candidate) => rawFeatures(query, text, candidate));
  for (const name of STANDARDIZED) standardize(all, name);
  return all;
}

function rawFeatures(
  query: ReadQuery,
  text: TextScores,
  candidate: RetrievalCandidate,
): FeatureValues {
  const { segment, scores, row, before, meanings } = candidate;
  const found = segment.rows[row]!;
  const { near, far } = aroundOf(candidate);
  const best = (rows: readonly number[]): number =>
    rows.reduce((most, one) => Math.max(most, scores.own[one]!), 0);
  const window = near.reduce((mask, one) => mask | scores.ownMask[one]!, scores.anyMask[row]!);
  const prev = before[row]!;
  const isReply = near.includes(prev) && segment.rows[prev]?.isQuestion === true;
  const author = authorOf(query, found);
  return {
    text: scores.own[row]!,
    head: scores.head[row]!,
    neighbour: best(near),
    far: best(far),
    group: scores.group[found.group]!,
    meaning: valueOf(meanings?.averaged[row]),
    ownMeaning: valueOf(meanings?.own[row]),
    coverage: coverage(text, scores.ownMask[row]!),
    headCoverage: coverage(text, scores.anyMask[row]! & ~scores.ownMask[row]!),
    windowCoverage: coverage(text, window),
    reply: isReply ? coverage(text, scores.ownMask[prev]!) : 0,
    names: nameCoverage(query, text, scores.anyMask[row]!),
    author: author === "asked" ? 1 : 0,
    otherAuthor: author === "other" ? 1 : 0,
    question: found.isQuestion ? 1 : 0,
    length: Math.min(1, found.terms / LONG_ENOUGH),
    when: query.asksWhen && (found.mentionsTime || found.dates.length > 0) ? 1 : 0,
    who: query.asksName && found.names > 0 ? 1 : 0,
    date: dateOf(query, found),
    recency: found.file.writtenAt,
    opening: found.isOpening ? 1 : 0,
  };
}

const valueOf = (value: number | undefined): number =>
  value === undefined || Number.isNaN(value) ? 0 : value;

/** The part of the query's words, by what they are worth, that a mask has. */
export function coverage({ terms, totalRarity }: TextScores, mask: number): number {
  let sum = 0;
  for (const [bit, { rarity }] of terms.entries()) if ((mask & (1 << bit)) !== 0) sum += rarity;
  return totalRarity === 0 ? 0 : sum / totalRarity;
}

function nameCoverage(query: ReadQuery, { terms }: TextScores, mask: number): number {
  let [had, all] = [0, 0];
  for (const [bit, { term, rarity }] of terms.entries()) {
    if (!query.nameTerms.has(term)) continue;
    all += rarity;
    if ((mask & (1 << bit)) !== 0) had += rarity;
  }
  return all === 0 ? 0 : had / all;
}

function authorOf({ words }: ReadQuery, { author }: PassageRow): "asked" | "other" | undefined {
  if (author === undefined) return undefined;
  return author.split(/\s+/).some((part) => words.has(part)) ? "asked" : "other";
}

function dateOf({ dates }: ReadQuery, { dates: own, passage: { day } }: PassageRow): number {
  if (dates.length === 0) return 0;
  const session = day === undefined ? [] : [{ from: day, to: day }];
  return Math.max(dateFit(dates, own), 0.7 * dateFit(dates, session));
}

/** FEATURES-1. */
function standardize(all: readonly FeatureValues[], name: Feature): void {
  const count = Math.max(1, all.length);
  const mean = all.reduce((sum, values) => sum + values[name], 0) / count;
  const variance = all.reduce((sum, values) => sum + (values[name] - mean) ** 2, 0) / count;
  const deviation = Math.sqrt(variance);
  for (const values of all) values[name] = deviation < 1e-9 ? 0 : (values[name] - mean) / deviation;
}
