// retrieval: how much of the evidence is found by full text alone, by vectors alone, and by ours, on the part of the
// retrieval set that nothing was trained on; or on the dialogues of a JSON file (--file, retrieval/retrieval-set.ts).

import { readFileSync } from "node:fs";
import type { Weights } from "../kernel/src/memory/retrieve.ts";
import { optionOf } from "./option.ts";
import { measureRanker, pooled, type RetrievalFigures } from "./retrieval/measure-ranker.ts";
import { fullText, ours, vectorsAlone, type Ranker } from "./retrieval/rankers.ts";
import { collectionsOf, ownCollections, type Collection } from "./retrieval/retrieval-set.ts";
import { openVectorCache } from "./retrieval/vector-cache.ts";

const file = new URL("../kernel/src/memory/weights.json", import.meta.url);

export async function retrieval(args: readonly string[]): Promise<Record<string, unknown>> {
  const { weights } = JSON.parse(readFileSync(file, "utf8")) as { weights: Weights };
  const given = optionOf(args, "--file");
  const collections = given === undefined ? ownCollections() : collectionsOf(given);
  const cache = openVectorCache();
  const measured = new Map<string, Map<string, RetrievalFigures[]>>();
  for (const collection of collections) {
    if (collection.heldOut.length === 0) continue;
    console.error(`${collection.name}: ${collection.heldOut.length} questions`);
    for (const [name, ranker] of await rankersOf(collection, weights, cache)) {
      const kind = measured.get(collection.kind) ?? new Map<string, RetrievalFigures[]>();
      measured.set(collection.kind, kind);
      kind.set(name, [...(kind.get(name) ?? []), await measureRanker(ranker, collection.heldOut)]);
    }
  }
  await cache.close();
  return Object.fromEntries(
    [...measured].map(([kind, rankers]) => [
      kind,
      Object.fromEntries([...rankers].map(([name, all]) => [name, rounded(pooled(all))])),
    ]),
  );
}

async function rankersOf(
  collection: Collection,
  weights: Weights,
  cache: ReturnType<typeof openVectorCache>,
): Promise<[string, Ranker][]> {
  const engine = await ours(collection, weights, cache);
  const withoutVectors = await ours(collection, weights, undefined);
  return [
    ["fullText", fullText(collection)],
    ["vectors", vectorsAlone(collection, cache)],
    ["ours", (question) => engine.rank(question)],
    ["oursWithoutVectors", (question) => withoutVectors.rank(question)],
  ];
}

const rounded = (figures: RetrievalFigures): Record<string, number> =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number((value as number).toFixed(3))]),
  );
