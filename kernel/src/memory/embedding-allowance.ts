// Embedding allowance: what vectors of a provider may cost in a day, of all tenants together. Money is taken in slices,
// each an entry of the ledger that is durable before it is spent.
//
//   const settle = await allowance.take(texts)     refused with EBUDGET where the day's money is gone
//   settle(tokens)
//
// EMBEDDING-ALLOWANCE-1  The entries of a day never sum up to more than its limit, also across crashes and nodes that
//     were there one after the other: what was taken and not spent counts as spent.
// EMBEDDING-ALLOWANCE-2  A request begins only when the most that it can cost is taken.

import { SysError, type Json } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";

export interface EmbeddingAllowanceParts {
  readonly journal: Journal<Store>;
  readonly ledger: Ledger;
  readonly platform: Platform;
}

export interface EmbeddingPrice {
  readonly model: string;
  /** US dollars for a million tokens. */
  readonly price: number;
  readonly usdPerDay: number;
}

export const EMBEDDINGS_SPENT = "memory.embed";
const SLICE_USD = 0.01;

export class EmbeddingAllowance {
  readonly #parts: EmbeddingAllowanceParts;
  readonly #of: EmbeddingPrice;
  #day = "";
  /** Of today, in all entries. */
  #taken = 0;
  #left = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: EmbeddingAllowanceParts, of: EmbeddingPrice) {
    this.#parts = parts;
    this.#of = of;
  }

  /** A token has a byte at least. */
  async take(texts: readonly string[]): Promise<(tokens: number | undefined) => void> {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
    const most = this.#usd(bytes);
    const turn = this.#turn.then(() => this.#takeNow(most));
    this.#turn = turn.catch(() => {});
    await turn;
    return (tokens) => {
      // Who does not count is believed to count like others: four bytes a token.
      this.#left += most - this.#usd(tokens ?? Math.ceil(bytes / 4));
    };
  }

  #usd(tokens: number): number {
    return (tokens * this.#of.price) / 1_000_000;
  }

  async #takeNow(most: number): Promise<void> {
    const { journal, ledger, platform } = this.#parts;
    const { model, usdPerDay } = this.#of;
    const day = new Date(platform.now()).toISOString().slice(0, 10);
    if (day !== this.#day) await this.#beginDay(day);
    if (this.#left < most) {
      const wanted = Math.max(SLICE_USD, most - this.#left);
      const slice = Math.min(wanted, usdPerDay - this.#taken);
      if (this.#left + slice < most)
        throw new SysError("EBUDGET", `embeddings: the ${usdPerDay} USD of ${day} are used up`, {
          hint: "`embeddings.usdPerDay` of config.yaml sets how much it may be",
        });
      ledger.add({ by: "memory", what: EMBEDDINGS_SPENT, detail: { day, model, usd: slice } });
      await journal.durable(); // EMBEDDING-ALLOWANCE-1
      this.#taken += slice;
      this.#left += slice;
    }
    this.#left -= most; // EMBEDDING-ALLOWANCE-2
  }

  async #beginDay(day: string): Promise<void> {
    const entries = await this.#parts.journal.store.ledgerOf(EMBEDDINGS_SPENT);
    this.#taken = 0;
    for (const { entry } of entries) {
      const { detail } = JSON.parse(entry) as { detail?: { day?: Json; usd?: Json } };
      if (detail?.day === day && typeof detail.usd === "number") this.#taken += detail.usd;
    }
    this.#left = 0;
    this.#day = day;
  }
}
