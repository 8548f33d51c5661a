// Result retention: limits the number of compacted runs. The oldest are removed with their rows; their spending stays
// in the sums.
//
// RESULT-RETENTION-1  Each removal is signed with the names of its runs: without the key nobody can disguise a
//     deletion.
// RESULT-RETENTION-2  A result is kept for at least a minute after the end of its run, whatever the limit, for those
//     who wait for it.

import type { Platform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import { MOST_REMOVED } from "../store/removal.ts";
import type { ResultRun } from "../store/queries.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { signedRemoval } from "./signed-removal.ts";

/** RESULT-RETENTION-2. */
export const KEPT_AT_LEAST_MS = 60_000;
/** Of which there are fewer than MOST_REMOVED runs, unless trees are large. */
export const TREES_AT_ONCE = 100;

interface Parts {
  readonly store: Store;
  readonly platform: Platform;
  readonly node: string;
  readonly audit: Pick<AuditLog, "sign">;
  readonly maxResults: number;
  /** Where an archive takes them first. */
  readonly keepResults?: (runs: readonly ResultRun[]) => Promise<void>;
}

export class ResultRetention {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** How many results are beyond the limit. */
  async excess(): Promise<number> {
    const { store, maxResults } = this.#parts;
    return Math.max(0, (await store.countResults()) - maxResults);
  }

  /**
   * Removes those that are beyond the limit, as far as they may go; answers how many went. Fewer than `least`
   * are left for another time: each removal has its own row.
   */
  async collect(least = 1): Promise<number> {
    const { store, platform } = this.#parts;
    const excess = await this.excess();
    if (excess < least) return 0;
    let removed = 0;
    while (removed < excess) {
      const trees = Math.min(TREES_AT_ONCE, excess - removed);
      const runs = await store.oldestResults(trees, platform.now() - KEPT_AT_LEAST_MS);
      const some = await this.#remove(runs);
      if (some === 0) break; // there is nothing more that may go, or another node is at it
      removed += some;
    }
    return removed;
  }

  async #remove(runs: readonly ResultRun[]): Promise<number> {
    let removed = 0;
    for (const batch of batchesOf(runs)) {
      await this.#parts.keepResults?.(batch);
      const isDone = await this.#parts.store.remove(
        await signedRemoval(this.#parts, batch),
        batch.map(({ key }) => key),
      );
      if (isDone) removed += batch.length;
    }
    return removed;
  }
}

/**
 * Whole trees of one tenant, as many as fit into one removal. A tree that is larger is removed in parts, those
 * that were spawned before those that spawned them: what is left of it has its ancestors.
 */
function batchesOf(runs: readonly ResultRun[]): ResultRun[][] {
  const batches: ResultRun[][] = [];
  for (const ofTenant of Map.groupBy(runs, ({ tenant }) => tenant).values()) {
    let batch: ResultRun[] = [];
    for (const tree of Map.groupBy(ofTenant, ({ root }) => root).values())
      for (const part of partsOf(tree.toSorted((a, b) => b.key - a.key))) {
        if (batch.length + part.length > MOST_REMOVED) {
          batches.push(batch);
          batch = [];
        }
        batch.push(...part);
      }
    batches.push(batch);
  }
  return batches;
}

function partsOf(tree: readonly ResultRun[]): ResultRun[][] {
  const parts: ResultRun[][] = [];
  for (let from = 0; from < tree.length; from += MOST_REMOVED)
    parts.push(tree.slice(from, from + MOST_REMOVED));
  return parts;
}
