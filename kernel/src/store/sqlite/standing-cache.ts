// StandingCache: what stands for agents, as the database has it. It is asked for with every spawn and hardly ever
// changes; on one machine all that changes it passes here.
//
// STANDING-CACHE-1  What was asked before a commit that touches what is held answers nobody who asks
//     after it.

import type { Extension, Write } from "../contract.ts";
import type { HoldingRow, TenantKey } from "../rows.ts";

/** To forget all costs asking again. */
const MOST_AGENTS = 1000;

const touchesHoldings = ({ op }: Write): boolean => op === "holding.add" || op === "holding.set";

export class StandingCache {
  readonly #ask: (tenant: TenantKey, agent?: string) => Promise<HoldingRow[]>;
  readonly #known = new Map<string, Promise<HoldingRow[]>>();

  constructor(ask: (tenant: TenantKey, agent?: string) => Promise<HoldingRow[]>) {
    this.#ask = ask;
  }

  of(tenant: TenantKey, agent?: string): Promise<HoldingRow[]> {
    if (agent === undefined) return this.#ask(tenant);
    const name = `${tenant} ${agent}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const asking = this.#ask(tenant, agent);
    if (this.#known.size >= MOST_AGENTS) this.#known.clear();
    this.#known.set(name, asking);
    asking.catch(() => this.#known.delete(name)); // whoever asks next is told by the database itself
    return asking;
  }

  /** To be called with every commit, before anything is asked after it. */
  committing(extensions: readonly Extension[], writes: readonly Write[]): void {
    for (const { writes: own } of extensions)
      for (const write of own) if (touchesHoldings(write)) return this.#known.clear();
    if (writes.some(touchesHoldings)) this.#known.clear();
  }
}
