// KeptRuns: how many finished runs have their history, and what it takes, as far as retention needs to know. It looks at
// all of them only where they may be beyond a limit.
//
// KEPT-RUNS-1  The count is at most what it was when all were looked at, and those that have ended since: what else goes
//     is noticed when all are looked at again, at the latest after an hour.
// KEPT-RUNS-2  The end of a run may be written a moment after its time, so that those of the last moment count each time
//     anew.

import type { Retention as Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { FinishedRun, Store } from "../store/contract.ts";

/** KEPT-RUNS-2. */
const MOMENT_MS = 1000;
const LOOK_AT_ALL_MS = 3_600_000;

interface Known {
  runs: number;
  bytes: number;
  /** When the first of them ended. */
  readonly oldest: number;
  /** Those that ended before are in the sums. */
  upTo: number;
  /** When all were looked at. */
  readonly at: number;
}

export class KeptRuns {
  readonly #store: Pick<Store, "finishedBetween">;
  readonly #platform: Pick<Platform, "now">;
  readonly #limits: Limits;
  #known: Known | undefined;

  constructor(parts: {
    readonly store: Pick<Store, "finishedBetween">;
    readonly platform: Pick<Platform, "now">;
    readonly limits: Limits;
  }) {
    this.#store = parts.store;
    this.#platform = parts.platform;
    this.#limits = parts.limits;
  }

  /** All of them, oldest first, as the store had them at a time that was taken before it was asked. */
  sawAll(finished: readonly FinishedRun[], at: number): void {
    const upTo = at - MOMENT_MS;
    const settled = finished.filter(({ endedAt }) => endedAt < upTo);
    const bytes = settled.reduce((sum, run) => sum + run.bytes, 0);
    const oldest = finished[0]?.endedAt ?? at;
    this.#known = { runs: settled.length, bytes, oldest, upTo, at };
  }

  /** They are fewer than was seen. */
  forget(): void {
    this.#known = undefined;
  }

  /** Whether a limit may be exceeded: always, as long as nobody has looked at all. */
  async mayBeBeyond(): Promise<boolean> {
    const known = this.#known;
    const now = this.#platform.now();
    if (known === undefined || now < known.at || now >= known.at + LOOK_AT_ALL_MS) return true;
    const { maxRuns, maxBytes, maxAgeMs } = this.#limits;
    if (known.oldest < now - maxAgeMs) return true;
    if (maxRuns === Infinity && maxBytes === Infinity) return false;
    const upTo = Math.max(known.upTo, now - MOMENT_MS);
    const settled = await this.#store.finishedBetween(known.upTo, upTo);
    known.runs += settled.runs;
    known.bytes += settled.bytes;
    known.upTo = upTo;
    const fresh = await this.#store.finishedBetween(upTo, Infinity);
    return known.runs + fresh.runs > maxRuns || known.bytes + fresh.bytes > maxBytes;
  }
}
