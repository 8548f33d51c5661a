// ModelStatistics: how a model does, since the kernel started. Kept in memory: the journal has the truth, this is
// for people who look, and for telling how long a queue will take.

/** The last so many answers and waits are kept. */
const KEPT = 500;

/** How much the last answer weighs in what is usual. */
const NEWEST = 0.1;

class Ring {
  readonly #values: number[] = [];
  #count = 0;

  add(value: number): void {
    this.#values[this.#count % KEPT] = value;
    this.#count += 1;
  }

  get size(): number {
    return this.#values.length;
  }

  get oldest(): number | undefined {
    return this.#values[this.#count < KEPT ? 0 : this.#count % KEPT];
  }

  /** Of no values, null. */
  quantiles(): { p50: number | null; p95: number | null } {
    const sorted = this.#values.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { p50: at(0.5), p95: at(0.95) };
  }
}

export class ModelStatistics {
  requests = 0;
  failures = 0;
  retries = 0;
  fallbacks = 0;
  lastFailure: { readonly at: number; readonly message: string } | null = null;
  readonly #answers = new Ring();
  readonly #waits = new Ring();
  readonly #ends = new Ring();
  #usualTokens: number | undefined;

  began(waitedMs: number): void {
    this.requests += 1;
    this.#waits.add(waitedMs);
  }

  answered(tookMs: number, tokens: number | undefined, now: number): void {
    this.#answers.add(tookMs);
    this.#ends.add(now);
    if (tokens === undefined) return;
    this.#usualTokens ??= tokens;
    this.#usualTokens += NEWEST * (tokens - this.#usualTokens);
  }

  failed(message: string, now: number): void {
    this.failures += 1;
    this.#ends.add(now);
    this.lastFailure = { at: now, message };
  }

  /** What a request uses, going by the last ones; undefined before the first. */
  get usualTokens(): number | undefined {
    return this.#usualTokens;
  }

  /** How long so many requests take, going by the last ones; undefined before there were some. */
  durationMs(requests: number, now: number): number | undefined {
    const { size, oldest } = this.#ends;
    if (oldest === undefined || now <= oldest) return undefined;
    return (requests * (now - oldest)) / size;
  }

  times() {
    const { p50, p95 } = this.#answers.quantiles();
    const waits = this.#waits.quantiles();
    return { p50Ms: p50, p95Ms: p95, waitP50Ms: waits.p50, waitP95Ms: waits.p95 };
  }
}
