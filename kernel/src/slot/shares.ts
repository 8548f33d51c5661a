// Shares: the usage of a provider by each tenant in virtual time: tokens divided by weight. The tenant with the least
// goes next.
//
//   wake(share)                  a tenant begins to wait: it is brought level with the others
//   begin(share, tokens, weight) a request begins; returns its charge
//   end(share, charge, tokens)   it ends: the real usage replaces the expected one
//
// SHARES-1  Tenants that always have waiting requests get tokens in proportion to their weights.
// SHARES-2  A tenant that was idle is credited with what the others have in service, and as much again: one round of
//     slots, so that a short burst beside a flooding tenant waits at most twice as long as alone. Longer idleness
//     gains no more.
// SHARES-3  When nothing waits and nothing is in service, all tenants are equal again.

export interface Share {
  readonly tenant: string;
  /** Virtual time that it has used up, with what is in service. */
  used: number;
  inService: number;
  requests: number;
  /** Where it waits: one line for each model. */
  readonly lines: Set<{ moved(): void }>;
}

/** What a request was charged when it began. */
export interface ShareCharge {
  readonly tokens: number;
  readonly weight: number;
}

export class Shares {
  readonly #shares = new Map<string, Share>();
  /** The virtual time that the others have reached, where a new tenant begins. */
  #served = 0;
  /** Of all. */
  #inService = 0;

  of(tenant: string): Share {
    let share = this.#shares.get(tenant);
    if (share === undefined) {
      share = { tenant, used: 0, inService: 0, requests: 0, lines: new Set() };
      this.#shares.set(tenant, share);
    }
    return share;
  }

  /** SHARES-2. To be called before its first line. */
  wake(share: Share): void {
    share.used = Math.max(share.used, this.#leastOf(share));
  }

  begin(share: Share, tokens: number, weight: number): ShareCharge {
    this.#served = Math.max(this.#served, share.used - share.inService);
    share.requests += 1;
    share.inService += tokens / weight;
    this.#inService += tokens / weight;
    this.#use(share, tokens / weight);
    return { tokens, weight };
  }

  /** `tokens` is undefined where nobody knows: then it was what was expected. */
  end(share: Share, { tokens: expected, weight }: ShareCharge, tokens: number | undefined): void {
    share.requests -= 1;
    share.inService = share.requests === 0 ? 0 : share.inService - expected / weight;
    this.#inService -= expected / weight;
    if (tokens !== undefined) this.#use(share, (tokens - expected) / weight);
    if (share.requests === 0 && share.lines.size === 0) this.#rest();
  }

  /** SHARES-2. No tenant counts as having used less than this. */
  #leastOf({ inService }: Share): number {
    return this.#served - (this.#inService - inService);
  }

  /** SHARES-1. */
  #use(share: Share, virtual: number): void {
    share.used = Math.max(share.used + virtual, this.#leastOf(share));
    for (const line of share.lines) line.moved();
  }

  /** SHARES-3. */
  #rest(): void {
    for (const { requests, lines } of this.#shares.values())
      if (requests > 0 || lines.size > 0) return;
    this.#shares.clear();
    this.#served = 0;
    this.#inService = 0;
  }
}
