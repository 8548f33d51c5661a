// Full text: how well tools fit some words, by the words of their names, tags and descriptions (BM25).
//
// FULL-TEXT-1  A word counts the more the fewer tools have it, and the more in a name or tag than in a
//     description.
// FULL-TEXT-2  A tool that has none of the words is not found.

import type { Tool } from "@aos/protocol";

export interface TextMatch {
  readonly name: string;
  readonly score: number;
  /** How many of the words it has, of all: from 0 to 1. */
  readonly share: number;
}

/** How much of a word's weight a longer text loses; as in BM25. */
const B = 0.75;
const K = 1.2;
/** A word of a name says more of a tool than one of its description. */
const WEIGHT = { name: 4, tags: 3, description: 1 } as const;

const STOP = new Set(
  "a an and as at be by for from in into is it of on or the this to with".split(" "),
);

/** Words without their endings, roughly: `converted`, `converts` and `converting` are one. */
export function stemmedWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !STOP.has(word))
    .map((word) =>
      word.replace(/(?:ations?|ings?|ers?|ed|es|s)$/, (end, at) => (at >= 3 ? "" : end)),
    )
    .map((word) => word.replace(/e$/, (end, at) => (at >= 3 ? "" : end)));
}

export function searchText(tools: readonly Tool[], words: string): TextMatch[] {
  const texts = tools.map((tool) => weighed(tool));
  const average = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const asked = [...new Set(stemmedWords(words))];
  return tools
    .map(({ name }, i) => {
      const { counts, length } = texts[i]!;
      const score = asked.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        if (count === 0) return sum;
        const having = texts.filter((text) => text.counts.has(word)).length;
        const rarity = Math.log(1 + (texts.length - having + 0.5) / (having + 0.5));
        return sum + (rarity * (count * (K + 1))) / (count + K * (1 - B + (B * length) / average));
      }, 0);
      const had = asked.filter((word) => counts.has(word)).length;
      return { name, score: Math.round(score * 1000) / 1000, share: had / asked.length };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

function weighed({ name, tags = [], description }: Tool) {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of stemmedWords(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add(name, WEIGHT.name);
  add(tags.join(" "), WEIGHT.tags);
  add(description, WEIGHT.description);
  return { counts, length: stemmedWords(description).length };
}
