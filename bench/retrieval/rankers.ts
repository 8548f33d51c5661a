// Rankers: three ways to order the passages of a collection for a question: full text alone (FTS5), vectors alone, and
// ours. Each returns the ids of evidence in its order, each once.

import { DatabaseSync } from "node:sqlite";
import { memoryContentOf, type Passage } from "../../kernel/src/memory/content.ts";
import { embeddingText, queryEmbeddingText } from "../../kernel/src/memory/embedding-text.ts";
import { readQuery } from "../../kernel/src/memory/query.ts";
import { rankCandidates, type Retrieval, type Weights } from "../../kernel/src/memory/retrieve.ts";
import { IndexSegment } from "../../kernel/src/memory/segment.ts";
import { STOP_WORDS } from "../../kernel/src/memory/word-lists.ts";
import { quantize } from "../../kernel/src/memory/vector-table.ts";
import type { Collection } from "./retrieval-set.ts";
import type { VectorCache } from "./vector-cache.ts";

export interface Ranked {
  readonly ids: readonly string[];
  readonly ms: number;
}
export type Ranker = (question: string) => Promise<Ranked>;

/** What evidence is called: a turn or a source file by its path, a section of a document by path and heading. */
export function evidenceId(collection: Collection, path: string, { head }: Passage): string {
  if (collection.kind !== "document") return path;
  return `${path}#${head?.split(" › ").at(-1) ?? ""}`;
}

const once = (ids: readonly string[]): string[] => [...new Set(ids)];

interface PlainPassage {
  readonly id: string;
  readonly text: string;
}

const passagesOf = (collection: Collection): PlainPassage[] =>
  collection.files.flatMap(({ path, data }) =>
    memoryContentOf(path, data).passages.map((passage) => ({
      id: evidenceId(collection, path, passage),
      text: passage.author === undefined ? passage.text : `${passage.author}: ${passage.text}`,
    })),
  );

/** One column, stemmed, content words only: a good full text, as most would set it up. */
export function fullText(collection: Collection): Ranker {
  const passages = passagesOf(collection);
  const db = new DatabaseSync(":memory:");
  db.exec("create virtual table passage using fts5(text, tokenize = 'porter unicode61')");
  const insert = db.prepare("insert into passage (rowid, text) values (?, ?)");
  for (const [at, { text }] of passages.entries()) insert.run(at, text);
  const find = db.prepare(
    "select rowid from passage where passage match ? order by bm25(passage) limit 200",
  );
  return async (question) => {
    const words = (question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
      (word) => !STOP_WORDS.has(word),
    );
    if (words.length === 0) return { ids: [], ms: 0 };
    const start = performance.now();
    const rows = find.all(words.map((word) => `"${word}"`).join(" OR "));
    const ms = performance.now() - start;
    return { ids: once(rows.map(({ rowid }) => passages[rowid as number]!.id)), ms };
  };
}

/** Of turns as they were said; of sections and declarations, what ours embeds of them. */
export function vectorsAlone(collection: Collection, cache: VectorCache): Ranker {
  const passages =
    collection.kind === "dialogue"
      ? passagesOf(collection)
      : collection.files.flatMap(({ path, data }) => {
          const { kind, passages: all } = memoryContentOf(path, data);
          return all.flatMap((passage) => {
            const text = embeddingText({ kind, passage, author: passage.author });
            return text === undefined ? [] : [{ id: evidenceId(collection, path, passage), text }];
          });
        });
  return async (question) => {
    const vectors = await cache.of(passages.map(({ text }) => text));
    const [asked] = await cache.of([question]);
    const start = performance.now();
    const near = vectors.map((vector, at) => ({
      at,
      near: vector.reduce((sum, one, n) => sum + one * asked![n]!, 0),
    }));
    near.sort((a, b) => b.near - a.near || a.at - b.at);
    const ms = performance.now() - start;
    return { ids: once(near.slice(0, 200).map(({ at }) => passages[at]!.id)), ms };
  };
}

export interface Ours {
  rank(question: string): Promise<Ranked>;
  /** The candidates with their features, for training. */
  candidates(
    question: string,
  ): Promise<readonly { readonly id: string; readonly found: Retrieval }[]>;
}

export async function ours(
  collection: Collection,
  weights: Weights,
  cache: VectorCache | undefined,
): Promise<Ours> {
  const segment = new IndexSegment();
  const rows = collection.files.flatMap(({ path, data }) => [
    ...segment.put({
      path,
      content: memoryContentOf(path, data),
      writtenAt: 0,
      writer: "",
      label: "",
    }),
  ]);
  if (cache !== undefined) {
    const texts = rows.flatMap((row) => {
      const text = embeddingText(segment.rows[row]!);
      return text === undefined ? [] : [{ row, text }];
    });
    const vectors = await cache.of(texts.map(({ text }) => text));
    for (const [at, { row }] of texts.entries()) segment.embed(row, quantize(vectors[at]!));
  }
  const authors = new Set(rows.flatMap((row) => segment.rows[row]!.author ?? []));
  const search = async (question: string) => {
    const vector =
      cache === undefined
        ? undefined
        : quantize((await cache.of([queryEmbeddingText(question, authors)]))[0]!);
    const start = performance.now();
    const { found } = rankCandidates({
      scope: [{ segment }],
      query: readQuery(question, { vector }),
      weights,
      limit: 200,
    });
    const ms = performance.now() - start;
    return {
      ms,
      found: found.map((one) => ({
        id: evidenceId(collection, one.row.file.path, one.row.passage),
        found: one,
      })),
    };
  };
  return {
    rank: async (question) => {
      const { found, ms } = await search(question);
      return { ids: once(found.map(({ id }) => id)), ms };
    },
    candidates: async (question) => (await search(question)).found,
  };
}
