// Fit: the weights of the features that put the evidence of questions in front. The loss is listwise: the softmax of the
// scores over the candidates of a question, and how much of it the evidence has. Weights are held to those that a search
// begins with, which matters more than the number of questions.

import { FEATURES, type Feature } from "../../kernel/src/memory/features.ts";

export type FeatureWeights = Record<Feature, number>;

/** The candidates of one question. */
export interface Example {
  readonly candidates: readonly { readonly values: Float64Array; readonly isEvidence: boolean }[];
}

const STEPS = 250;
const RATE = 0.05;
/** What a search begins with, and is held to where the questions say nothing. */
export const PRIOR: Partial<FeatureWeights> = {
  text: 1,
  head: 0.3,
  neighbour: 0.4,
  group: 0.3,
  meaning: 0.3,
  coverage: 1,
};

/** Adam on the listwise loss. */
function fit(examples: readonly Example[], decay: number): FeatureWeights {
  const start = Float64Array.from(FEATURES, (name) => PRIOR[name] ?? 0);
  const weights = Float64Array.from(start);
  const first = new Float64Array(weights.length);
  const second = new Float64Array(weights.length);
  for (let step = 1; step <= STEPS; step++) {
    const gradient = new Float64Array(weights.length);
    for (const example of examples) addGradient(example, weights, gradient);
    for (let at = 0; at < weights.length; at++) {
      const slope = gradient[at]! / examples.length + decay * (weights[at]! - start[at]!);
      first[at] = 0.9 * first[at]! + 0.1 * slope;
      second[at] = 0.999 * second[at]! + 0.001 * slope * slope;
      const rate = (RATE * Math.sqrt(1 - 0.999 ** step)) / (1 - 0.9 ** step);
      weights[at]! -= (rate * first[at]!) / (Math.sqrt(second[at]!) + 1e-8);
    }
  }
  return Object.fromEntries(
    FEATURES.map((name, at) => [name, Number(weights[at]!.toFixed(3))]),
  ) as FeatureWeights;
}

function addGradient({ candidates }: Example, weights: Float64Array, gradient: Float64Array): void {
  const scores = candidates.map(({ values }) =>
    values.reduce((sum, value, at) => sum + value * weights[at]!, 0),
  );
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const all = powers.reduce((sum, one) => sum + one, 0);
  const right = powers.reduce((sum, one, at) => sum + (candidates[at]!.isEvidence ? one : 0), 0);
  for (const [at, { values, isEvidence }] of candidates.entries()) {
    const pull = powers[at]! / all - (isEvidence ? powers[at]! / right : 0);
    if (pull !== 0) for (let n = 0; n < gradient.length; n++) gradient[n]! += pull * values[n]!;
  }
}

const FOLDS = 3;
const DECAYS = [0.01, 0.1, 1];

/** The weights, with the decay that does best on questions that a part of them was not trained on. */
export function fitWithBestDecay(examples: readonly Example[]): {
  weights: FeatureWeights;
  decay: number;
} {
  const losses = DECAYS.map((decay) => {
    let loss = 0;
    for (let fold = 0; fold < FOLDS; fold++) {
      const weights = fit(
        examples.filter((_, at) => at % FOLDS !== fold),
        decay,
      );
      for (const example of examples.filter((_, at) => at % FOLDS === fold))
        loss += lossOf(example, weights);
    }
    return { decay, loss: loss / examples.length };
  });
  const { decay } = losses.reduce((best, one) => (one.loss < best.loss ? one : best));
  return { weights: fit(examples, decay), decay };
}

function lossOf({ candidates }: Example, weights: FeatureWeights): number {
  const scores = candidates.map(({ values }) =>
    FEATURES.reduce((sum, name, at) => sum + values[at]! * weights[name], 0),
  );
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const all = powers.reduce((sum, one) => sum + one, 0);
  const right = powers.reduce((sum, one, at) => sum + (candidates[at]!.isEvidence ? one : 0), 0);
  return -Math.log(right / all);
}
