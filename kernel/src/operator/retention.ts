// RunRetention: compacts finished runs beyond an age, a number or a size: they keep their result and the end of their
// chain. result-retention.ts limits the results. It is on by default, so that a home is bounded.

import type { GcReport } from "../api.ts";
import { hexOf } from "../journal/chain.ts";
import type { Journal } from "../journal/journal.ts";
import type { Retention as Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { FinishedRun, Store } from "../store/contract.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { resultDigest } from "../audit/audit-rows.ts";
import { ResultRetention, TREES_AT_ONCE } from "./result-retention.ts";

/** So many runs may end before the limits are looked at again. */
const LOOK_EVERY_MS = 2000;
const AT_ONCE = 500;

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly audit: AuditLog;
  readonly node: string;
  readonly limits: Limits;
  readonly trouble: (what: string, error: unknown) => void;
}

export class RunRetention {
  readonly #parts: Parts;
  readonly #results: ResultRetention;
  #timer: NodeJS.Timeout | undefined;
  #collecting: Promise<GcReport> | undefined;
  #ended = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#results = new ResultRetention({ ...parts, maxResults: parts.limits.maxResults });
  }

  begin(): void {
    this.#timer = setInterval(() => {
      if (this.#ended > 0) this.#quietly();
    }, LOOK_EVERY_MS);
    this.#timer.unref();
    this.#ended = 1; // what an earlier boot left is looked at too
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async atRest(): Promise<void> {
    await this.#collecting?.catch(() => {});
  }

  /** A run has ended. Many in a short time are dealt with at once. */
  ended(): void {
    this.#ended += 1;
    if (this.#ended >= AT_ONCE) this.#quietly();
  }

  /** While something is looked at that must not go away. */
  async whileItWaits<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(work);
  }

  collect(dryRun: boolean): Promise<GcReport> {
    return this.#inTurn(() => this.#collect(dryRun));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine;
    return mine;
  }

  async #collect(dryRun: boolean, leastResults?: number): Promise<GcReport> {
    const { store } = this.#parts;
    const finished = await store.finished();
    const going = this.#beyond(finished);
    const bytes = going.reduce((sum, run) => sum + run.bytes, 0);
    let records = going.reduce((sum, run) => sum + run.records, 0);
    if (!dryRun && going.length > 0) {
      records = 0;
      for (let from = 0; from < going.length; from += AT_ONCE)
        records += await this.#compact(going.slice(from, from + AT_ONCE));
    }
    const removed = dryRun
      ? await this.#results.excess()
      : await this.#results.collect(leastResults);
    if (!dryRun && going.length + removed > 0) await store.shrink();
    return {
      dryRun,
      compacted: going.length,
      recordsRemoved: records,
      bytesFreed: bytes,
      kept: finished.length - going.length,
      resultsRemoved: removed,
    };
  }

  /** Those that a limit says must go, oldest first. */
  #beyond(finished: readonly FinishedRun[]): FinishedRun[] {
    const { maxAgeMs, maxRuns, maxBytes } = this.#parts.limits;
    const before = this.#parts.platform.now() - maxAgeMs;
    let runs = finished.length;
    let bytes = finished.reduce((sum, run) => sum + run.bytes, 0);
    const going: FinishedRun[] = [];
    for (const run of finished) {
      if (run.endedAt >= before && runs <= maxRuns && bytes <= maxBytes) break;
      going.push(run);
      runs -= 1;
      bytes -= run.bytes;
    }
    return going;
  }

  async #compact(runs: readonly FinishedRun[]): Promise<number> {
    const { store, audit } = this.#parts;
    const heads = [];
    for (const { key, pid } of runs) {
      const [row, chain] = await Promise.all([store.processByKey(key), store.chain(key)]);
      const { seq, hash } = chain!;
      heads.push({ pid, seq, hash: hexOf(hash), result: resultDigest(row!, chain!) });
    }
    await audit.compacting(heads);
    return (await store.compact(runs.map((run) => run.key))).records;
  }

  #quietly(): void {
    if (this.#collecting !== undefined) return;
    this.#ended = 0;
    this.#collecting = this.#inTurn(() => this.#collect(false, TREES_AT_ONCE)).finally(
      () => (this.#collecting = undefined),
    );
    this.#collecting.catch((error: unknown) => this.#parts.trouble("retention failed", error));
  }
}
