// EventStream: the output bytes of one watcher.
//
// GATEWAY-EVENT-STREAM-1  Its buffer is bounded: a reader that is too far behind is disconnected (EventHub,
//     EVENT-HUB-3).

import { utf8BytesOf, MOST_WAITING } from "./event-hub.ts";

const BEAT = utf8BytesOf(": alive\n\n");

export class EventStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Nothing more is taken: it was ended, or nobody reads. */
  readonly closed: Promise<void>;
  #isClosed = false;
  #isEnding = false;
  #isWaking = false;
  #waiting: Uint8Array[];
  #wake: () => void = () => {};
  #roomy: () => void = () => {};
  #close: () => void = () => {};

  constructor(first: Uint8Array) {
    this.#waiting = [first];
    this.closed = new Promise((resolve) => {
      this.#close = () => {
        this.#isClosed = true;
        this.#roomy();
        resolve();
      };
    });
    this.readable = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.#close() },
      { highWaterMark: 0 },
    );
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  write(bytes: Uint8Array): void {
    if (this.isClosed) return;
    this.#waiting.push(bytes);
    if (this.#waiting.length <= MOST_WAITING) return this.#wakeSoon();
    this.#waiting = []; // GATEWAY-EVENT-STREAM-1
    this.end();
  }

  /** For what can wait: resolves when there is room for more. */
  async writeSlowly(bytes: Uint8Array): Promise<void> {
    this.write(bytes);
    while (this.#waiting.length > MOST_WAITING / 10 && !this.isClosed)
      await new Promise<void>((resolve) => (this.#roomy = resolve));
  }

  /** A sign of life, where nothing else says so. */
  beat(): void {
    if (this.#waiting.length === 0) this.write(BEAT);
  }

  /** What one commit made durable goes out in one piece. */
  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#wake();
    });
  }

  /** What waits is still sent. */
  end(): void {
    this.#isEnding = true;
    this.#wake();
    this.#close();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#waiting.length === 0 && !this.#isEnding)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    // One piece for all that waits: a write for each would cost more than the rest.
    const pieces = this.#waiting;
    this.#waiting = [];
    if (pieces.length > 0)
      controller.enqueue(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    this.#roomy();
    if (this.#isEnding) controller.close();
  }
}
