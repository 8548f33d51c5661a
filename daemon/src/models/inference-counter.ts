// InferenceCounter: the number of a request among the requests of its process, in the order in which they were made.
//
// INFERENCE-COUNTER-1  The same request always has the same number, also after a crash: recorded requests and those in
//     progress are both counted.

import type { RecordedInference } from "@aos/kernel";

const MOST_PROCESSES = 1000;

export type Inferences = (
  pid: string,
  options?: { requests?: boolean },
) => Promise<readonly RecordedInference[]>;

export class InferenceCounter {
  readonly #inferences: Inferences;
  /** By process and model: the calls that were begun here. */
  readonly #begun = new Map<string, Set<number>>();

  constructor(inferences: Inferences) {
    this.#inferences = inferences;
  }

  /** How many requests of the process to this model came before call `n`. */
  async placeOf(pid: string, model: string, n: number): Promise<number> {
    const begun = this.#begunBy(`${pid} ${model}`).add(n);
    const recorded = (await this.#inferences(pid)).filter((past) => past.model === model);
    const all = new Set([...begun, ...recorded.map((past) => past.n)]);
    return [...all].filter((one) => one < n).length;
  }

  #begunBy(key: string): Set<number> {
    const known = this.#begun.get(key) ?? new Set<number>();
    this.#begun.delete(key);
    this.#begun.set(key, known);
    for (const old of this.#begun.keys()) {
      if (this.#begun.size <= MOST_PROCESSES) break;
      this.#begun.delete(old);
    }
    return known;
  }
}

/** The number of the call that a driver works for (`agt_….12`). */
export const callNumberOf = (key: string): number => Number(key.slice(key.lastIndexOf(".") + 1));
