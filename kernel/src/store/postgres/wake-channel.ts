// Wake channel: hints between nodes, by LISTEN and NOTIFY. A hint may be lost with the connection, so
// whoever reconnects looks for itself what it has missed; the tables are the truth.

import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import type { ProcessKey } from "../rows.ts";
import { clientOf } from "./connection.ts";

const CHANNEL = "aos_wake";
/** PostgreSQL takes less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5000;

interface Hint {
  readonly from: string;
  readonly keys: readonly ProcessKey[];
}

export const NOTIFY = `select pg_notify('${CHANNEL}', ?)`;

/** The keys in as many payloads as they need; no keys in one. */
export function payloads(from: string, keys: readonly ProcessKey[]): string[] {
  const keyBytes = String(Number.MAX_SAFE_INTEGER).length + 1;
  const perPayload = Math.floor(
    (MAX_PAYLOAD_BYTES - JSON.stringify({ from, keys: [] }).length) / keyBytes,
  );
  const texts: string[] = [];
  for (let start = 0; start === 0 || start < keys.length; start += perPayload) {
    texts.push(
      JSON.stringify({ from, keys: keys.slice(start, start + perPayload) } satisfies Hint),
    );
  }
  return texts;
}

export class WakeChannel {
  /** Tells our own hints from those of others: the server sends us both. */
  readonly sender = randomUUID();
  readonly #url: string;
  readonly #missed: () => Promise<readonly ProcessKey[]>;
  #onWake: (keys: readonly ProcessKey[]) => void = () => {};
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  /** `missed` answers what may have been hinted at while the connection was lost. */
  constructor(url: string, missed: () => Promise<readonly ProcessKey[]>) {
    this.#url = url;
    this.#missed = missed;
  }

  async listen(onWake: (keys: readonly ProcessKey[]) => void): Promise<void> {
    this.#onWake = onWake;
    if (this.#client === undefined) await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = clientOf(this.#url);
    client.on("notification", ({ payload }) => this.#hear(payload ?? ""));
    client.on("error", () => {}); // `end` follows
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) return client.end();
    this.#client = client;
    client.once("end", () => this.#reconnect(FIRST_RETRY_MS));
  }

  #hear(payload: string): void {
    const hint = JSON.parse(payload) as Hint;
    if (hint.from !== this.sender) this.#onWake(hint.keys);
  }

  #reconnect(afterMs: number): void {
    if (this.#closed) return;
    const again = async () => {
      try {
        await this.#connect();
      } catch {
        return this.#reconnect(Math.min(afterMs * 2, MAX_RETRY_MS));
      }
      try {
        this.#onWake(await this.#missed());
      } catch {
        await this.#client?.end(); // and so we come here again
      }
    };
    this.#retry = setTimeout(() => void again(), afterMs);
  }
}
