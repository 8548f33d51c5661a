// MailSweep: removes undeliverable messages that no process has in memory: expired ones now and then, and,
// once at boot, those that a crash left with ended processes.
//
// MAIL-SWEEP-1  A process in memory buries its own (DeadLetters.buryExpired): what it is about to receive is not
//     taken from under it.

import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { OpenedStore } from "../store/mail-reports.ts";

const LOOK_EVERY_MS = 5000;
const AT_ONCE = 500;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly deadLetters: DeadLetters;
  readonly node: string;
  readonly trouble: (what: string, error: unknown) => void;
}

export class MailSweep {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #under: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { store, journal, deadLetters } = this.#parts;
    for (;;) {
      const stranded = await store.strandedMessages(AT_ONCE);
      deadLetters.buryOfEnded(stranded);
      await journal.durable();
      if (stranded.length < AT_ONCE) break;
    }
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async atRest(): Promise<void> {
    await this.#under;
  }

  #look(): void {
    this.#under ??= this.sweep()
      .catch((error: unknown) => this.#parts.trouble("expired messages could not be buried", error))
      .finally(() => (this.#under = undefined));
  }

  async sweep(): Promise<void> {
    const { store, journal, platform, table, deadLetters, node } = this.#parts;
    await journal.durable();
    const expired = await store.expiredMessages(node, platform.now(), AT_ONCE);
    for (const { process } of expired) {
      const loaded = table.get(process);
      if (loaded !== undefined) deadLetters.buryExpired(loaded); // MAIL-SWEEP-1
    }
    deadLetters.buryUnloaded(expired.filter(({ process }) => table.get(process) === undefined));
    await journal.durable();
  }
}
