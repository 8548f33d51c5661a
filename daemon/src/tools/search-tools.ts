// Search tools: the tools that fit some words, best first: by the words themselves (full-text.ts), and by their
// meaning, so that "delete something" finds `file.remove`.
//
// SEARCH-TOOLS-1  Words count for more than meaning: the exact name of a tool finds that tool first.
// SEARCH-TOOLS-2  Without any of the words a tool is found only if its meaning is near and stands out from the others.
// SEARCH-TOOLS-3  Without embeddings the words alone decide; the answer says so, and the log says why.

import type { Embeddings } from "@aos/drivers";
import type { Tool } from "@aos/protocol";
import { searchText } from "./full-text.ts";

export interface FoundTool {
  readonly name: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly searchedBy: SearchedBy;
}

export type SearchedBy = "words" | "words and meaning";
export type ToolSearch = (tools: readonly Tool[], words: string) => Promise<FoundTool[]>;

const WEIGHT = { words: 0.6, meaning: 0.4 } as const;
/** How near a meaning has to be to be found by itself. */
const NEAR = 0.35;
/** By how many standard deviations a meaning has to stand out to be found by itself (SEARCH-TOOLS-2), and to count fully. */
const STANDS_OUT = 1;
const COUNTS_FULLY = 3;

export function createToolSearch(
  meaning: Pick<Embeddings, "of">,
  onTrouble: (error: unknown) => void,
): ToolSearch {
  return async (tools, words) => {
    const byWords = searchText(tools, words);
    const best = byWords[0]?.score ?? 1;
    const texts = new Map(byWords.map(({ name, score, share }) => [name, (score / best) * share]));
    const standing = await standingsOf(meaning, tools, words).catch((error: unknown) => {
      onTrouble(error);
      return undefined;
    });
    const searchedBy = standing === undefined ? "words" : "words and meaning";
    return tools
      .map(({ name }, at) => {
        const text = texts.get(name) ?? 0;
        const stands = standing?.[at] ?? 0;
        const score =
          standing === undefined
            ? text
            : WEIGHT.words * text + WEIGHT.meaning * clamp(stands / COUNTS_FULLY);
        return { name, score: round(score), isFound: text > 0 || stands >= STANDS_OUT };
      })
      .filter(({ isFound }) => isFound)
      .map(({ name, score }): FoundTool => ({ name, score, searchedBy }))
      .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  };
}

/** How far each tool's meaning stands out from the others', in standard deviations. */
async function standingsOf(
  meaning: Pick<Embeddings, "of">,
  tools: readonly Tool[],
  words: string,
): Promise<number[]> {
  const [asked, ...vectors] = await meaning.of([words, ...tools.map(searchableText)]);
  const near = vectors.map((vector) =>
    vector.reduce((sum, value, at) => sum + value * asked![at]!, 0),
  );
  const mean = near.reduce((sum, one) => sum + one, 0) / Math.max(1, near.length);
  const spread = Math.sqrt(
    near.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, near.length),
  );
  return near.map((one) => (spread === 0 || one < NEAR ? 0 : (one - mean) / spread));
}

/** What a tool is about; how it answers would only blur that. */
export function searchableText({ name, tags = [], description }: Tool): string {
  const [sentence = ""] = description.split(/(?<=\.)\s|\n|[:;]\s/, 1);
  const about = [name.replaceAll(/[._-]/g, " "), ...tags].join(", ");
  return `${about}. ${sentence.replaceAll("`", "")}`;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
const round = (value: number): number => Math.round(value * 1000) / 1000;
