// Retrieve: the passages that fit a query best, the best first. Candidates come from the words and from the vectors; a
// linear model over their features (features.ts, weights.json) orders them.
//
//   rankCandidates({ scope: [{ segment }], query: readQuery("what did we decide about the port"), limit: 10 })
//
// RETRIEVE-1  The same segments, query and weights have the same result, in the same order.
// RETRIEVE-4  But for equal scores, the number of candidates does not grow with the number of segments.
// RETRIEVE-2  Rows that may not be seen are no candidates and no neighbours, and count in no statistics.
// RETRIEVE-3  Without vectors, or with those of some rows only, the rest still counts.

import type { ContentKind } from "./content.ts";
import {
  FEATURES,
  featuresOf,
  type RetrievalCandidate,
  type Feature,
  type FeatureValues,
} from "./features.ts";
import type { ReadQuery } from "./query.ts";
import type { PassageRow, IndexSegment } from "./segment.ts";
import {
  scoreText,
  type ScopedSegment,
  type SegmentScores,
  type TextScores,
} from "./text-scores.ts";

export type Weights = Readonly<Record<ContentKind, Readonly<Record<Feature, number>>>>;

/** How many candidates come from the words, and from the vectors. */
const FROM_TEXT = 100;
const FROM_VECTORS = 30;
/** What the neighbours of a row count for its first score and its similarity: one and two steps away. */
const NEAR_TEXT = 0.5;
const FAR_TEXT = 0.25;
const GROUP_TEXT = 0.3;
const NEAR_VECTOR = 0.6;
const FAR_VECTOR = 0.3;

export interface Retrieval {
  readonly row: PassageRow;
  readonly score: number;
  readonly features: FeatureValues;
  readonly candidate: RetrievalCandidate;
}

export interface RetrievalRequest {
  readonly scope: readonly ScopedSegment[];
  readonly query: ReadQuery;
  readonly weights: Weights;
  readonly limit: number;
}

export interface RetrievalResult {
  readonly found: readonly Retrieval[];
  readonly text: TextScores;
}

/** All candidates, the best first: what the reranker is trained on. */
export function rankCandidates({
  scope,
  query,
  weights,
  limit,
}: RetrievalRequest): RetrievalResult {
  const text = scoreText(scope, query.terms);
  const stages = scope.map((scoped, at) => firstStage(scoped, query, text.segments[at]!, limit));
  const leastText = cutOff(
    stages.map(({ byText }) => byText),
    Math.max(FROM_TEXT, limit),
  );
  const leastOwn = cutOff(
    stages.map(({ byOwn }) => byOwn),
    FROM_VECTORS,
  );
  const leastAveraged = cutOff(
    stages.map(({ byAveraged }) => byAveraged),
    FROM_VECTORS,
  );
  const candidates = stages.flatMap((stage) =>
    candidatesOf(stage, { leastText, leastOwn, leastAveraged }),
  );
  const features = featuresOf(query, text, candidates);
  const found = candidates.map((candidate, index) => {
    const row = candidate.segment.rows[candidate.row]!;
    const values = features[index]!;
    return { row, candidate, features: values, score: scoreOf(values, weights[row.kind]) };
  });
  found.sort((a, b) => b.score - a.score || inOrder(a.row, b.row));
  return { found, text };
}

/** RETRIEVE-1: by path where scores are the same. */
const inOrder = (a: PassageRow, b: PassageRow): number =>
  a.key === b.key ? (a.file.path < b.file.path ? -1 : 1) : a.key < b.key ? -1 : 1;

export function scoreOf(values: FeatureValues, weights: Readonly<Record<Feature, number>>): number {
  let sum = 0;
  for (const name of FEATURES) sum += values[name] * weights[name];
  return sum;
}

/** A row, and the number by which it would be a candidate. */
interface Scored {
  readonly row: number;
  readonly value: number;
}

interface FirstStage {
  readonly common: Omit<RetrievalCandidate, "row">;
  readonly byText: readonly Scored[];
  readonly byOwn: readonly Scored[];
  readonly byAveraged: readonly Scored[];
}

function firstStage(
  { segment, isVisible }: ScopedSegment,
  query: ReadQuery,
  scores: SegmentScores,
  limit: number,
): FirstStage {
  const { before, after } = segment.sort();
  const isSeen = (row: number): boolean =>
    isVisible === undefined ? segment.rows[row] !== undefined : isVisible[row] === 1;
  const neighbours = { before, after, isSeen };
  const meanings = meaningsOf({ segment, isVisible }, query, neighbours);
  const best = (values: Float32Array | undefined): Scored[] =>
    values === undefined
      ? []
      : top(values, FROM_VECTORS).map((row) => ({ row, value: values[row]! }));
  return {
    common: { segment, scores, meanings, ...neighbours },
    byText: bestText(segment, scores, neighbours, Math.max(FROM_TEXT, limit)),
    byOwn: best(meanings?.own),
    byAveraged: best(meanings?.averaged),
  };
}

/** RETRIEVE-4. The value of the last one of all segments that is a candidate. */
function cutOff(lists: readonly (readonly Scored[])[], count: number): number {
  if (lists.length === 1) return -Infinity;
  const values = lists.flatMap((list) => list.map(({ value }) => value)).sort((a, b) => b - a);
  return values[count - 1] ?? -Infinity;
}

function candidatesOf(
  { common, byText, byOwn, byAveraged }: FirstStage,
  least: { readonly leastText: number; readonly leastOwn: number; readonly leastAveraged: number },
): RetrievalCandidate[] {
  const { before, after, isSeen } = common;
  const rows = new Set<number>();
  for (const { row, value } of byText) {
    if (value < least.leastText) continue;
    rows.add(row);
    for (const one of [before[row]!, after[row]!]) if (one >= 0 && isSeen(one)) rows.add(one);
  }
  for (const { row, value } of byAveraged) if (value >= least.leastAveraged) rows.add(row);
  for (const { row, value } of byOwn) if (value >= least.leastOwn) rows.add(row);
  return [...rows].map((row) => ({ ...common, row }));
}

interface Neighbours {
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly isSeen: (row: number) => boolean;
}

function bestText(
  segment: IndexSegment,
  scores: SegmentScores,
  neighbours: Neighbours,
  count: number,
): Scored[] {
  const { own, head, group, touched } = scores;
  const { before, after, isSeen } = neighbours;
  const first = segment.scratch.doubles("first", touched.length);
  const of = (row: number): number => (row >= 0 && isSeen(row) ? own[row]! : 0);
  const { groupOfRow } = segment;
  for (let at = 0; at < touched.length; at++) {
    const row = touched[at]!;
    const prev = before[row]!;
    const next = after[row]!;
    const farther = (prev < 0 ? 0 : of(before[prev]!)) + (next < 0 ? 0 : of(after[next]!));
    first[at] =
      own[row]! +
      0.5 * head[row]! +
      NEAR_TEXT * (of(prev) + of(next)) +
      FAR_TEXT * farther +
      GROUP_TEXT * group[groupOfRow[row]!]!;
  }
  return top(first, count).map((at) => ({ row: touched[at]!, value: first[at]! }));
}

/** RETRIEVE-3. Similarities of rows that may be seen, NaN elsewhere: a sum with NaN is none. */
function meaningsOf(
  { segment, isVisible }: ScopedSegment,
  { vector }: ReadQuery,
  { before, after }: Neighbours,
) {
  const own = vector === undefined ? undefined : segment.similarities(vector);
  if (own === undefined) return undefined;
  // A row that was removed has no vector.
  if (isVisible !== undefined)
    for (let row = 0; row < own.length; row++) if (isVisible[row] !== 1) own[row] = NaN;
  const averaged = segment.scratch.floats("averaged", own.length);
  for (let row = 0; row < own.length; row++) {
    const prev = before[row]!;
    const next = after[row]!;
    let sum = own[row]!;
    if (prev < 0 && next < 0) {
      averaged[row] = sum;
      continue;
    }
    let weight = 1;
    for (let step = 0; step < 4; step++) {
      const near = step < 2;
      const first = (step & 1) === 0 ? prev : next;
      const other = near || first < 0 ? first : (step & 1) === 0 ? before[first]! : after[first]!;
      const value = other < 0 ? NaN : own[other]!;
      if (Number.isNaN(value)) continue;
      const by = near ? NEAR_VECTOR : FAR_VECTOR;
      sum += by * value;
      weight += by;
    }
    averaged[row] = sum / weight;
  }
  return { own, averaged };
}

/** The places of the largest numbers; NaN is none. */
function top(values: Float32Array | Float64Array, count: number): number[] {
  const best: number[] = [];
  let least = -Infinity;
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    if (best.length === count ? !(value > least) : Number.isNaN(value)) continue;
    let place = best.length;
    while (place > 0 && values[best[place - 1]!]! < value) place--;
    best.splice(place, 0, at);
    if (best.length > count) best.pop();
    least = best.length === count ? values[best[count - 1]!]! : -Infinity;
  }
  return best;
}
