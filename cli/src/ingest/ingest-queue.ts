// Ingest queue: sends files and removals to the daemon, many in a request and a few requests at once.
//
// INGEST-QUEUE-1  What is removed is so before what is written after it: a file can be removed and written anew.
// INGEST-QUEUE-2  The first failure ends the work; batches that were answered stay.

import type { Client } from "@aos/client";
import type { IngestedFile, OperationArgs } from "@aos/protocol/words";

type Batch = Omit<OperationArgs<"ingest">, "name" | "tenant">;

const MOST_FILES = 200;
/** In characters. */
const MOST_SIZE = 1_000_000;
const AT_ONCE = 3;
const MOST_REMOVED = 1000;
/** Removal is the operator's own act, whatever the label of what goes. */
const OPERATOR = "trusted/public";

export class IngestQueue {
  readonly #send: (batch: Batch) => ReturnType<Client["ingest"]>;
  readonly #label: string;
  readonly #isDryRun: boolean;
  readonly #sending = new Set<Promise<unknown>>();
  #files: IngestedFile[] = [];
  #size = 0;
  #remove: string[] = [];
  #failure: { readonly error: unknown } | undefined;
  bytes = 0;

  constructor(
    send: (batch: Batch) => ReturnType<Client["ingest"]>,
    { label, isDryRun }: { readonly label: string; readonly isDryRun: boolean },
  ) {
    this.#send = send;
    this.#label = label;
    this.#isDryRun = isDryRun;
  }

  async write(file: IngestedFile): Promise<void> {
    const size = sizeOf(file);
    this.bytes += size;
    this.#files.push(file);
    this.#size += size;
    if (this.#files.length >= MOST_FILES || this.#size >= MOST_SIZE) await this.#flush();
  }

  async remove(path: string): Promise<void> {
    this.#remove.push(path);
    if (this.#remove.length >= MOST_REMOVED) await this.#flushRemovals();
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#flushRemovals();
    await Promise.all(this.#sending);
    this.#throwFailure();
  }

  async #flush(): Promise<void> {
    await this.#flushRemovals(); // INGEST-QUEUE-1
    const files = this.#files;
    this.#files = [];
    this.#size = 0;
    if (files.length > 0) await this.#begin({ files, label: this.#label });
  }

  async #flushRemovals(): Promise<void> {
    const remove = this.#remove;
    this.#remove = [];
    if (remove.length === 0 || this.#isDryRun) return;
    await Promise.all(this.#sending);
    this.#throwFailure();
    await this.#send({ remove, label: OPERATOR });
  }

  async #begin(batch: Batch): Promise<void> {
    if (this.#isDryRun) return;
    while (this.#sending.size >= AT_ONCE) await Promise.race(this.#sending);
    this.#throwFailure();
    const sending = this.#send(batch)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error; // INGEST-QUEUE-2
  }
}

const sizeOf = ({ text, turns }: IngestedFile): number =>
  text === undefined
    ? (turns ?? []).reduce((sum, turn) => sum + turn.text.length, 0)
    : Buffer.byteLength(text);
