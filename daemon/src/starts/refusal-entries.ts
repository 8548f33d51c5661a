// RefusalEntries: what was refused to strangers, in the ledger: the first at once, and how many more came.
//
// REFUSAL-ENTRIES-1  However many are refused, the ledger gets one entry a minute of each subject.

import type { Kernel } from "@aos/kernel";
import type { Json } from "@aos/protocol";

const EVERY_MS = 60_000;
const MOST_SUBJECTS = 1000;

export class RefusalEntries {
  readonly #kernel: Pick<Kernel, "enter">;
  readonly #now: () => number;
  readonly #known = new Map<string, { at: number; more: number }>();

  constructor(kernel: Pick<Kernel, "enter">, now: () => number = () => performance.now()) {
    this.#kernel = kernel;
    this.#now = now;
  }

  async add(what: string, subject: string, detail: Readonly<Record<string, Json>>): Promise<void> {
    const now = this.#now();
    const before = this.#known.get(subject);
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.more += 1;
      return;
    }
    this.#known.delete(subject);
    this.#known.set(subject, { at: now, more: 0 });
    if (this.#known.size > MOST_SUBJECTS) this.#known.delete(this.#known.keys().next().value!);
    await this.#kernel.enter(what, subject, { ...detail, before: before?.more ?? 0 });
  }
}
