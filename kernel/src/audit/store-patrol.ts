// Store patrol: rereads the store in the background, one process after another: records against their hash chain,
// large values against their digests. Findings are reported at once.
//
// STORE-PATROL-1  It uses at most a fiftieth of the time: after each page of records it pauses fifty times as long as
//     the page took. A long history is never read at once unless something is wrong with it.
// STORE-PATROL-2  Data that changed while it was read is read again before it is reported.

import { CHAIN_START, hexOf } from "../journal/chain.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import { BlobCheck } from "./audit-blobs.ts";
import type { AuditLog } from "./audit-log.ts";
import { readErasures } from "./erasures.ts";

const REST_FACTOR = 50;
/** Between two rounds. */
const ROUND_REST_MS = 10 * 60_000;
const MAX_LOOKS = 3;

/** What was read of a process before its records. */
interface Read {
  readonly tenant: number;
  readonly seq: number;
  readonly end: string;
}

interface Parts {
  /** The least rest after each process. */
  readonly restMs: number;
  readonly store: Store;
  readonly audit: Pick<AuditLog, "isKept" | "isSigned">;
  readonly found: (problems: readonly string[]) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

export class BackgroundStoreCheck {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#later(() => this.#round(), this.#parts.restMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #later(work: () => Promise<void>, afterMs: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      work().catch((error: unknown) => {
        if (this.#closed) return;
        this.#parts.trouble("the store could not be looked through", error);
        this.#later(() => this.#round(), ROUND_REST_MS);
      });
    }, afterMs);
    this.#timer.unref();
  }

  #erasures() {
    return readErasures(this.#parts.store, this.#parts.audit);
  }

  async #round(): Promise<void> {
    this.#next((await this.#parts.store.allKeys()).values());
  }

  #next(keys: IteratorObject<ProcessKey>): void {
    const { value: key, done } = keys.next();
    if (done === true) return this.#later(() => this.#round(), ROUND_REST_MS);
    this.#later(async () => {
      const problems = await this.#look(key);
      if (problems.length > 0) this.#parts.found(problems);
      this.#next(keys);
    }, this.#parts.restMs);
  }

  /** STORE-PATROL-1. For ever, where it was closed. */
  #rest(workedMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#later(async () => resolve(), workedMs * REST_FACTOR);
    });
  }

  async #look(key: ProcessKey): Promise<string[]> {
    const { store } = this.#parts;
    for (let look = 1; ; look++) {
      const [row, chain] = [await store.processByKey(key), await store.chain(key)];
      if (row === undefined || row.compacted) return [];
      if (chain === undefined) return [`${row.pid} has no chain`];
      const read = { tenant: row.tenant, seq: chain.seq, end: hexOf(chain.hash) };
      if (await this.#isSound(key, read)) return [];
      const problem = await this.#problemOf(key, read);
      if (problem === undefined) return [];
      const now = await store.chain(key);
      const hasMoved =
        now?.seq !== chain.seq || (await store.processByKey(key))?.compacted === true;
      if (!hasMoved || look === MAX_LOOKS) return [`${row.pid}: ${problem}`]; // STORE-PATROL-2
    }
  }

  /** False where the whole history has to be read at once to say what is wrong with it. */
  async #isSound(key: ProcessKey, { tenant, seq, end }: Read): Promise<boolean> {
    const { store } = this.#parts;
    const erasures = await this.#erasures();
    const blobs = new BlobCheck(store, erasures);
    let hash = CHAIN_START;
    let next = 0;
    try {
      let began = monotonicMs();
      for await (const { texts, hashes } of store.recordPages(key)) {
        const hex = hexOf(hashes);
        for (const [nth, text] of texts.entries()) {
          if (next > seq) return hash === end; // it has grown since
          const known = hex.slice(nth * 64, (nth + 1) * 64);
          hash = erasures.link(hash, text, known);
          if (hash !== known) return false;
          if ((await blobs.problemIn(tenant, text)) !== undefined) return false;
          next += 1;
        }
        await this.#rest(monotonicMs() - began);
        began = monotonicMs();
      }
      return next === seq + 1 && hash === end;
    } catch {
      return false;
    }
  }

  async #problemOf(key: ProcessKey, { tenant, seq, end }: Read): Promise<string | undefined> {
    const { store } = this.#parts;
    try {
      const erasures = await this.#erasures();
      const blobs = new BlobCheck(store, erasures);
      let hash = CHAIN_START;
      const records = await store.records(key, { upTo: seq });
      if (records.length !== seq + 1) return `${seq + 1 - records.length} records are missing`;
      for (const record of records) {
        const known = hexOf(record.hash);
        hash = erasures.link(hash, record.text, known);
        if (hash !== known) return `record ${record.seq} is not what was written`;
        const problem = await blobs.problemIn(tenant, record.text);
        if (problem !== undefined) return `record ${record.seq}: ${problem}`;
      }
      return hash === end ? undefined : "its chain does not end where it should";
    } catch (error) {
      return `it cannot be read: ${(error as Error).message}`;
    }
  }
}
