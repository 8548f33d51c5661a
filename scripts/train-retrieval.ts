// node scripts/train-retrieval.ts: trains the reranker's weights on the training part of the retrieval set and writes
// kernel/src/memory/weights.json, with the figures on the held-out part beside them.

import { writeFileSync } from "node:fs";
import { FEATURES } from "../kernel/src/memory/features.ts";
import type { Weights } from "../kernel/src/memory/retrieve.ts";
import {
  fitWithBestDecay,
  PRIOR,
  type Example,
  type FeatureWeights,
} from "../bench/retrieval/fit.ts";
import { measureRanker, pooled } from "../bench/retrieval/measure-ranker.ts";
import { ours, type Ours } from "../bench/retrieval/rankers.ts";
import { ownCollections, type Collection } from "../bench/retrieval/retrieval-set.ts";
import { openVectorCache } from "../bench/retrieval/vector-cache.ts";

const KINDS = ["dialogue", "document", "code"] as const;
const zero = (): FeatureWeights =>
  Object.fromEntries(FEATURES.map((name) => [name, 0])) as FeatureWeights;
const prior = (): FeatureWeights => ({ ...zero(), ...PRIOR });
const same = (weights: FeatureWeights): Weights => ({
  dialogue: weights,
  document: weights,
  code: weights,
  episode: weights,
});

async function examplesOf({ train }: Pick<Collection, "train">, engine: Ours): Promise<Example[]> {
  const examples: Example[] = [];
  for (const { text, evidence } of train) {
    const candidates = (await engine.candidates(text)).map(({ id, found }) => ({
      values: Float64Array.from(FEATURES, (name) => found.features[name]),
      isEvidence: evidence.includes(id),
    }));
    // Evidence that is no candidate teaches nothing about the order of candidates.
    if (candidates.some(({ isEvidence }) => isEvidence)) examples.push({ candidates });
  }
  return examples;
}

const cache = openVectorCache();
const collections = ownCollections();
const engines = new Map<string, Ours>();
for (const collection of collections)
  engines.set(collection.name, await ours(collection, same(prior()), cache));
const weights: Record<string, FeatureWeights> = {};
for (const kind of KINDS) {
  const examples: Example[] = [];
  for (const collection of collections)
    if (collection.kind === kind)
      examples.push(...(await examplesOf(collection, engines.get(collection.name)!)));
  const fitted = fitWithBestDecay(examples);
  weights[kind] = fitted.weights;
  console.error(`${kind}: ${examples.length} questions to train on, decay ${fitted.decay}`);
}
// Episodes are documents of a few lines, in an order.
weights["episode"] = weights["document"]!;

const figures: Record<string, unknown> = {};
for (const kind of KINDS) {
  const measured = [];
  for (const collection of collections.filter((one) => one.kind === kind)) {
    const engine = await ours(collection, weights as unknown as Weights, cache);
    measured.push(await measureRanker((question) => engine.rank(question), collection.heldOut));
  }
  const { ms: _, ...all } = pooled(measured);
  figures[kind] = Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, Number(value.toFixed(3))]),
  );
}
await cache.close();
const file = {
  trainedOn: new Date().toISOString().slice(0, 10),
  by: "node scripts/train-retrieval.ts",
  heldOut: figures,
  weights,
};
writeFileSync(
  new URL("../kernel/src/memory/weights.json", import.meta.url),
  `${JSON.stringify(file, null, 2)}\n`,
);
console.log(JSON.stringify(file, null, 1));
