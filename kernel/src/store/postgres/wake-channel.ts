// Wake channel: hints between nodes, by LISTEN and NOTIFY, or by a broker where there is one. A hint may be lost with
// the connection, so whoever reconnects looks for itself what it has missed; the tables are the truth.
//
// WAKE-CHANNEL-1  Where the broker cannot be reached, the database carries the hints; and a node that has a broker
//     looks by itself every few seconds, since a hint that was lost in it leaves no trace here.
// WAKE-CHANNEL-2  What a broker brings is not believed: it is read as a list of keys or not at all, and many hints
//     make one look.

import { randomUUID } from "node:crypto";
import type { HintBroker } from "@aos/protocol";
import type { Client } from "pg";
import type { ProcessKey } from "../rows.ts";
import { clientOf } from "./connection.ts";

const CHANNEL = "aos_wake";
/** PostgreSQL takes less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7000;
/** WAKE-CHANNEL-1: how often a node with a broker looks, and one whose broker is gone. */
const LOOK_MS = 5000;
const LOOK_ALONE_MS = 1000;
/** WAKE-CHANNEL-2: what a broker brings in this time is one look; of more keys, all that may be due are looked at. */
const GATHER_MS = 5;
const MOST_GATHERED = 5000;
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

/** WAKE-CHANNEL-2. Undefined for what is no hint. */
export function readHint(text: string): Hint | undefined {
  try {
    const { from, keys } = JSON.parse(text) as Partial<Record<keyof Hint, unknown>>;
    const isHint = typeof from === "string" && Array.isArray(keys) && keys.every(isKey);
    return isHint ? { from, keys: keys as ProcessKey[] } : undefined;
  } catch {
    return undefined;
  }
}

type Look = () => Promise<readonly ProcessKey[]>;

interface Looks {
  /** What may have been hinted at while the connection was lost. */
  readonly missed: Look;
  /** What something waits for, and that may have been hinted at. */
  readonly due: Look;
}

const isKey = (key: unknown): boolean => Number.isSafeInteger(key) && (key as number) > 0;

export class WakeChannel {
  /** Tells our own hints from those of others: the server sends us both. */
  readonly sender = randomUUID();
  readonly #url: string;
  readonly #find: Looks;
  readonly #broker: HintBroker | undefined;
  #gathered = new Set<ProcessKey>();
  #isForAll = false;
  #gathering: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #onWake: (keys: readonly ProcessKey[]) => void = () => {};
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, find: Looks, broker?: HintBroker) {
    this.#url = url;
    this.#find = find;
    this.#broker = broker;
  }

  /** Whether the broker took it: else the database has to. */
  tell(payload: string): boolean {
    if (this.#broker?.isConnected !== true) return false;
    this.#broker.tell(payload);
    return true;
  }

  async listen(onWake: (keys: readonly ProcessKey[]) => void): Promise<void> {
    this.#onWake = onWake;
    if (this.#client !== undefined) return;
    await this.#connect();
    this.#broker?.listen(
      (text) => this.#gather(text),
      () => void this.#look(),
    );
    this.#lookLater();
  }

  #gather(text: string): void {
    const hint = readHint(text);
    if (hint === undefined || hint.from === this.sender || this.#closed) return;
    this.#isForAll ||= hint.keys.length === 0 || this.#gathered.size > MOST_GATHERED;
    if (!this.#isForAll) for (const key of hint.keys) this.#gathered.add(key);
    this.#gathering ??= setTimeout(() => this.#pass(), GATHER_MS);
  }

  #pass(): void {
    this.#gathering = undefined;
    const [keys, isForAll] = [[...this.#gathered], this.#isForAll];
    this.#gathered.clear();
    this.#isForAll = false;
    if (keys.length > 0) this.#onWake(keys);
    if (!isForAll) return;
    this.#onWake([]); // a node has left, or there were too many to say which
    void this.#look();
  }

  /** WAKE-CHANNEL-1. */
  #lookLater(): void {
    if (this.#broker === undefined || this.#closed) return;
    const waitMs = this.#broker.isConnected ? LOOK_MS : LOOK_ALONE_MS;
    this.#looking = setTimeout(() => void this.#look().then(() => this.#lookLater()), waitMs);
  }

  async #look(): Promise<void> {
    try {
      const keys = await this.#find.due();
      if (keys.length > 0 && !this.#closed) this.#onWake(keys);
    } catch {
      // The database is away: whoever waits for it is told, and the next look comes.
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#retry, this.#gathering, this.#looking]) clearTimeout(timer);
    await this.#broker?.close();
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
        this.#onWake(await this.#find.missed());
      } catch {
        await this.#client?.end(); // and so we come here again
      }
    };
    this.#retry = setTimeout(() => void again(), afterMs);
  }
}
