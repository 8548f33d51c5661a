// ExportQueue: events and log records that wait to be sent to an external system, in batches, one at a time.
//
// EXPORT-QUEUE-1  It is bounded. What does not fit is dropped and counted; adding never waits.
// EXPORT-QUEUE-2  A failed batch is retried until it is sent, or newer items need its place: the oldest are dropped
//     first.
// EXPORT-QUEUE-3  On close, the rest has a short time to be sent.

export interface ExportCounts {
  sent: number;
  dropped: number;
}

export interface ExportQueueOptions<Item> {
  readonly send: (batch: readonly Item[]) => Promise<void>;
  /** Called for every batch that could not be sent. */
  readonly onTrouble: (error: unknown) => void;
  readonly most?: number;
  readonly batch?: number;
  readonly everyMs?: number;
}

const MOST = 10_000;
const BATCH = 500;
const EVERY_MS = 1000;
/** How long the last ones have when the daemon stops. */
const LAST_MS = 2000;

export class ExportQueue<Item> {
  readonly counts: ExportCounts = { sent: 0, dropped: 0 };
  readonly #options: Required<ExportQueueOptions<Item>>;
  readonly #waiting: Item[] = [];
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;

  constructor(options: ExportQueueOptions<Item>) {
    this.#options = { most: MOST, batch: BATCH, everyMs: EVERY_MS, ...options };
    this.#timer = setInterval(() => void this.flush(), this.#options.everyMs);
    this.#timer.unref();
  }

  /** EXPORT-QUEUE-1. */
  add(item: Item): void {
    this.#waiting.push(item);
    if (this.#waiting.length <= this.#options.most) return;
    this.#waiting.shift();
    this.counts.dropped++;
  }

  /** Sends what is here; a failure ends it, and the next time begins with the same. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#options.batch);
      try {
        await this.#options.send(batch);
      } catch (error) {
        this.#options.onTrouble(error);
        return; // EXPORT-QUEUE-2
      }
      this.counts.sent += batch.length;
      // Of those, some may have been dropped meanwhile for newer ones.
      while (this.#waiting.length > 0 && batch.includes(this.#waiting[0]!)) this.#waiting.shift();
    }
  }

  /** EXPORT-QUEUE-3. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const late = new Promise<void>((resolve) => void setTimeout(resolve, LAST_MS).unref());
    await Promise.race([this.flush().then(() => this.flush()), late]);
    this.counts.dropped += this.#waiting.length;
  }
}
