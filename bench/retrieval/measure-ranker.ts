// Recall and mean reciprocal rank of a ranker over questions.

import type { Question } from "./retrieval-set.ts";
import type { Ranker } from "./rankers.ts";

export interface RetrievalFigures {
  readonly questions: number;
  readonly recall5: number;
  readonly recall10: number;
  readonly mrr: number;
  /** Median, of the search alone. */
  readonly ms: number;
}

export async function measureRanker(
  rank: Ranker,
  questions: readonly Question[],
): Promise<RetrievalFigures> {
  const sums = { recall5: 0, recall10: 0, mrr: 0 };
  const times: number[] = [];
  for (const { text, evidence } of questions) {
    const { ids, ms } = await rank(text);
    times.push(ms);
    const part = (k: number) =>
      evidence.filter((id) => ids.slice(0, k).includes(id)).length / evidence.length;
    sums.recall5 += part(5);
    sums.recall10 += part(10);
    const first = ids.findIndex((id) => evidence.includes(id));
    sums.mrr += first < 0 ? 0 : 1 / (first + 1);
  }
  const count = Math.max(1, questions.length);
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  return {
    questions: questions.length,
    recall5: sums.recall5 / count,
    recall10: sums.recall10 / count,
    mrr: sums.mrr / count,
    ms: median,
  };
}

/** Figures of several sets as one, each question counted the same. */
export function pooled(all: readonly RetrievalFigures[]): RetrievalFigures {
  const questions = all.reduce((sum, one) => sum + one.questions, 0);
  const mean = (of: (one: RetrievalFigures) => number): number =>
    all.reduce((sum, one) => sum + of(one) * one.questions, 0) / Math.max(1, questions);
  return {
    questions,
    recall5: mean((one) => one.recall5),
    recall10: mean((one) => one.recall10),
    mrr: mean((one) => one.mrr),
    ms: mean((one) => one.ms),
  };
}
