// Trained weights: the numbers of the reranker, a data file that `node scripts/train-retrieval.ts` writes with the date and
// the figures on questions that it was not trained on.

import { readFileSync } from "node:fs";
import type { Weights } from "./retrieve.ts";

let weights: Weights | undefined;

/** Read with the first search. */
export function trainedWeights(): Weights {
  weights ??= (
    JSON.parse(readFileSync(new URL("./weights.json", import.meta.url), "utf8")) as {
      weights: Weights;
    }
  ).weights;
  return weights;
}
