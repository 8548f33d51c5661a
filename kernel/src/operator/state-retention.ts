// State retention: a process that checkpoints repeatedly keeps the states of its last checkpoints and, of older ones,
// the first in every span of records. The rest is dropped, since a replay from an earlier state computes it again.
//
// STATE-RETENTION-1  The states of the last checkpoint and of the whole span before the present one exist.
// STATE-RETENTION-2  A start from a checkpoint without its state replays from the last earlier one that has it.

import type { Journal } from "../journal/journal.ts";
import type { Process } from "../process/process.ts";
import type { Store } from "../store/contract.ts";
import type { RunRetention } from "./retention.ts";

/** So many records are a span. */
export const STATE_SPAN = 256;

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly retention: () => Pick<RunRetention, "whileItWaits">;
  readonly trouble: (what: string, error: unknown) => void;
}

const spanOf = (seq: number): number => Math.floor(seq / STATE_SPAN);

export class StateRetention {
  readonly #parts: Parts;
  #atRest: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The record that it has just written is a checkpoint. */
  checkpointed(process: Process): void {
    const { checkpointSeq: before, seq } = process;
    process.checkpointSeq = seq;
    if (spanOf(before) === spanOf(seq)) return;
    // One more than is new: the last time may have been cut short.
    const first = Math.max(0, spanOf(before) - 2);
    const last = spanOf(seq) - 2;
    if (last < first) return;
    this.#atRest = this.#drop(process, first, last).catch((error: unknown) =>
      this.#parts.trouble(`states of ${process.pid} could not be dropped`, error),
    );
  }

  /** When nothing is being dropped. */
  async atRest(): Promise<void> {
    await this.#atRest;
  }

  async #drop({ key: process, tenant }: Process, first: number, last: number): Promise<void> {
    const { store, journal, retention } = this.#parts;
    await journal.durable();
    for (let span = first; span <= last; span++) {
      const after = span * STATE_SPAN - 1;
      const upTo = after + STATE_SPAN;
      await retention().whileItWaits(() => store.dropStates({ process, tenant, after, upTo }));
    }
  }
}
