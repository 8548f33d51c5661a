// Text scores: the first stage of a search. BM25 of every row in scope that has a word of the query, of its text and of
// its head apart, and of the group that it stands in.
//
// TEXT-SCORES-1  Only rows in scope count: for what a word is worth, for average lengths, for groups. A row outside the
//     scope changes no score and no order.

import type { IndexSegment } from "./segment.ts";

/** A segment, and which of its rows may be seen; all that there are where nothing is said. */
export interface ScopedSegment {
  readonly segment: IndexSegment;
  readonly isVisible?: Uint8Array | undefined;
}

const K = 1.2;
/** A long row loses little: rows of a dialogue are short, and length says nothing about them. */
const B = 0.4;
/** Bits of a row's mask of words. */
const MOST_TERMS = 30;

export interface QueryTerm {
  readonly term: string;
  readonly rarity: number;
}

/** Scores of the rows of one segment. */
export interface SegmentScores {
  readonly own: Float64Array;
  readonly head: Float64Array;
  /** A bit for each term of the query: in the text, and in the text or the head. */
  readonly ownMask: Int32Array;
  readonly anyMask: Int32Array;
  /** By group. */
  readonly group: Float64Array;
  /** Rows with a word of the query, each once. */
  readonly touched: Int32Array;
}

export interface TextScores {
  readonly terms: readonly QueryTerm[];
  readonly totalRarity: number;
  readonly segments: readonly SegmentScores[];
}

export function scoreText(scope: readonly ScopedSegment[], wanted: readonly string[]): TextScores {
  const size = sizeOf(scope);
  const counted = [...new Set(wanted)].map((term) => ({ term, ...frequency(scope, term) }));
  const terms = counted
    .map(({ term, rows, groups }) => ({
      term,
      rarity: rarityOf(rows, size.rows),
      groupRarity: rarityOf(groups, size.groups),
    }))
    .sort((a, b) => b.rarity - a.rarity || (a.term < b.term ? -1 : 1))
    .slice(0, MOST_TERMS);
  return {
    terms,
    totalRarity: terms.reduce((sum, { rarity }) => sum + rarity, 0),
    segments: scope.map((scoped) => scoreSegment(scoped, terms, size)),
  };
}

const rarityOf = (having: number, all: number): number =>
  Math.log(1 + (all - having + 0.5) / (having + 0.5));

interface ScopeSize {
  readonly rows: number;
  readonly groups: number;
  readonly averageTerms: number;
  readonly averageGroup: number;
}

function sizeOf(scope: readonly ScopedSegment[]): ScopeSize {
  let [rows, terms, groups] = [0, 0, 0];
  for (const { segment, isVisible } of scope) {
    if (isVisible === undefined) {
      rows += segment.size;
      terms += segment.size * segment.averageTerms;
      groups += segment.groupCount;
      continue;
    }
    const seen = new Set<number>();
    for (const [at, row] of segment.rows.entries()) {
      if (row === undefined || isVisible[at] !== 1) continue;
      rows++;
      terms += row.terms;
      seen.add(row.group);
    }
    groups += seen.size;
  }
  const averageTerms = terms / Math.max(1, rows);
  return { rows, groups, averageTerms, averageGroup: terms / Math.max(1, groups) };
}

function frequency(scope: readonly ScopedSegment[], term: string) {
  let rows = 0;
  let groups = 0;
  for (const { segment, isVisible } of scope) {
    const postings = segment.postings.get(term);
    if (postings === undefined) continue;
    if (isVisible === undefined && postings.counted?.version === segment.version) {
      rows += postings.counted.rows;
      groups += postings.counted.groups;
      continue;
    }
    const before = { rows, groups };
    const { lengths, groupOfRow } = segment;
    const seen = new Uint8Array(segment.groupCount);
    for (let at = 0; at < postings.rows.length; at++) {
      const row: number = postings.rows[at]!;
      if (isVisible === undefined ? lengths[row]! < 0 : isVisible[row] !== 1) continue;
      rows++;
      const group = groupOfRow[row]!;
      if (seen[group] === 1) continue;
      seen[group] = 1;
      groups++;
    }
    if (isVisible === undefined)
      postings.counted = {
        version: segment.version,
        rows: rows - before.rows,
        groups: groups - before.groups,
      };
  }
  return { rows, groups };
}

/** By index and into arrays of numbers: a common word has tens of thousands of rows. */
function scoreSegment(
  { segment, isVisible }: ScopedSegment,
  terms: readonly (QueryTerm & { readonly groupRarity: number })[],
  size: ScopeSize,
): SegmentScores {
  const { lengths, groupOfRow, groupCount, scratch } = segment;
  const count = segment.rows.length;
  const own = scratch.doubles("own", count);
  const head = scratch.doubles("head", count);
  const ownMask = scratch.ints("ownMask", count);
  const anyMask = scratch.ints("anyMask", count);
  const group = scratch.doubles("group", groupCount);
  const touched = scratch.ints("touched", count);
  const inGroup = scratch.doubles("inGroup", groupCount);
  let touchedCount = 0;
  const averageTerms = Math.max(1, size.averageTerms);
  for (let bit = 0; bit < terms.length; bit++) {
    const { term, rarity, groupRarity } = terms[bit]!;
    const postings = segment.postings.get(term);
    if (postings === undefined) continue;
    const groups: number[] = [];
    for (let at = 0; at < postings.rows.length; at++) {
      const row: number = postings.rows[at]!;
      if (isVisible === undefined ? lengths[row]! < 0 : isVisible[row] !== 1) continue;
      const inText = postings.own[at]!;
      const inHead = postings.head[at]!;
      if (anyMask[row] === 0) touched[touchedCount++] = row;
      anyMask[row]! |= 1 << bit;
      if (inText > 0) {
        ownMask[row]! |= 1 << bit;
        const norm = 1 - B + (B * lengths[row]!) / averageTerms;
        own[row]! += (rarity * inText * (K + 1)) / (inText + K * norm);
      }
      if (inHead > 0) head[row]! += (rarity * inHead * (K + 1)) / (inHead + K);
      const groupOf = groupOfRow[row]!;
      if (inGroup[groupOf] === 0) groups.push(groupOf);
      inGroup[groupOf]! += inText + (inText === 0 ? 0.5 : 0);
    }
    for (const at of groups) {
      const found = inGroup[at]!;
      group[at]! += (groupRarity * found * (K + 1)) / (found + K * 2);
      inGroup[at] = 0;
    }
  }
  return { own, head, ownMask, anyMask, group, touched: touched.subarray(0, touchedCount) };
}
