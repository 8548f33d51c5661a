// CorkedSocket: what is sent at once goes to the network at once, and not in a packet for each statement.

import type { Duplex } from "node:stream";
import type { PoolClient } from "pg";

export class CorkedSocket {
  readonly #stream: { cork(): void; uncork(): void } | undefined;
  #isHeld = false;

  constructor(client: PoolClient) {
    // Not in the types of `pg`: without it everything is sent too, a statement at a time.
    this.#stream = (client as { connection?: { stream?: Duplex } }).connection?.stream;
  }

  hold(): void {
    if (!this.#isHeld) this.#stream?.cork();
    this.#isHeld = true;
  }

  flush(): void {
    if (this.#isHeld) this.#stream?.uncork();
    this.#isHeld = false;
  }
}
