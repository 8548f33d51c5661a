// Read bundles: statements by themselves that are asked for at once go down one connection together, in one
// packet, and not each down its own: the end of 200 processes asks for 400 rows.
//
// READ-BUNDLES-1  Each is a transaction by itself and is answered by itself: one that is refused fails
//     alone.
// READ-BUNDLES-2  A bundle has at most MOST_TOGETHER: whoever is in it may wait for all that are before
//     it.

import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import type { Row } from "../row-values.ts";
import { CorkedSocket } from "./corked-socket.ts";

const MOST_TOGETHER = 50;

interface BundledRead {
  readonly query: QueryConfig;
  readonly answer: (error: Error | null, rows: Row[]) => void;
}

export class ReadBundles {
  readonly #pool: Pool;
  #asked: BundledRead[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  ask(query: QueryConfig): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const answer = (error: Error | null, rows: Row[]) =>
        error === null ? resolve(rows) : reject(error);
      if (this.#asked.push({ query, answer }) === 1) process.nextTick(() => this.#send());
    });
  }

  #send(): void {
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += MOST_TOGETHER)
      void this.#sendTogether(asked.slice(from, from + MOST_TOGETHER));
  }

  async #sendTogether(bundle: readonly BundledRead[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      for (const { answer } of bundle) answer(error as Error, []);
      return;
    }
    let left = bundle.length;
    let hasFailed = false;
    const outgoing = new CorkedSocket(client);
    outgoing.hold();
    for (const { query, answer } of bundle)
      client.query<Row>(query, (error: Error | null, result: QueryResult<Row>) => {
        hasFailed ||= error !== null;
        left -= 1;
        if (left === 0) client.release(hasFailed); // before the answer: whoever hears it may close the pool
        answer(error, error === null ? result.rows : []);
      });
    outgoing.flush();
  }
}
