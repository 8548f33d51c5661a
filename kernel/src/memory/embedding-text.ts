// Embedding text: what of a passage, or of a query, is turned into a vector. Function words and the names of those who
// speak are left out: they are in every turn, and hide what it is about.
//
// EMBEDDING-TEXT-1  Code without a sentence of comment has none: a model of sentences does not read code, and the index has its
//     names.

import type { PassageRow } from "./segment.ts";
import { STOP_WORDS } from "./word-lists.ts";

/** In characters: a sentence or two say what a passage is about, and cost a quarter of the whole. */
const LONGEST = 300;
/** A shorter comment repeats the name below it. */
const SHORT_COMMENT = 90;
const COMMENT = /(?:^|\s)(?:\/\/|\/\*\*?|\*(?!\/)|#)\s(.*)/gm;

function contentWords(text: string, authors: ReadonlySet<string>): string {
  const words = text.match(/[\p{L}\p{N}'’_$.-]*[\p{L}\p{N}]/gu) ?? [];
  const left = words.filter((word) => {
    const lower = word.toLowerCase();
    return !STOP_WORDS.has(lower) && !authors.has(lower);
  });
  return left.length === 0 ? text : left.join(" ");
}

export function embeddingText({
  kind,
  passage: { text, head, isQuiet },
  author,
}: Pick<PassageRow, "kind" | "passage" | "author">): string | undefined {
  if (isQuiet === true) return undefined;
  if (kind === "dialogue") return contentWords(text, wordsOf(author)).slice(0, LONGEST);
  if (kind !== "code")
    return `${head === undefined || head === "" ? "" : `${head}. `}${text}`.slice(0, LONGEST);
  const comment = [...text.matchAll(COMMENT)].map(([, words]) => words!).join(" ");
  return comment.length < SHORT_COMMENT ? undefined : comment.replace("*/", "").slice(0, LONGEST);
}

export const queryEmbeddingText = (query: string, authors: Iterable<string>): string =>
  contentWords(query, new Set([...authors].flatMap((author) => [...wordsOf(author)]))).slice(
    0,
    LONGEST,
  );

const wordsOf = (author: string | undefined): ReadonlySet<string> =>
  new Set(author?.toLowerCase().split(/\s+/));
