// RunRetention: compacts finished runs beyond an age, a number or a size: they keep their result and the end of their
// chain. result-retention.ts limits the results. It is on by default, so that a home is bounded.
//
// RUN-RETENTION-1  Where there is an archive, no history and no result leaves the store by any other way (archive-retention.ts).
//     An archive that cannot take them keeps them in the store.

import { SysError, type ArchiveReport } from "@aos/protocol";
import type { GcReport } from "../api.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Retention as Limits, RunArchive } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { FinishedRun, Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { compactionHeads } from "./compaction-heads.ts";
import { KeptRuns } from "./kept-runs.ts";
import { KEPT_AT_LEAST_MS, ResultRetention, TREES_AT_ONCE } from "./result-retention.ts";
import { ArchiveRetention } from "./archive-retention.ts";

/** So many runs may end before the limits are looked at again. */
const LOOK_EVERY_MS = 2000;
const AT_ONCE = 500;
/** By itself, an archive is given runs when a limit is exceeded by a tenth, so that a bundle has many. */
const ARCHIVE_FROM = 1.1;
/** After an archive has failed. */
const REST_MS = 60_000;

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly audit: AuditLog;
  readonly node: string;
  readonly limits: Limits;
  readonly ledger: Ledger;
  readonly archive?: RunArchive;
  readonly trouble: (what: string, error: unknown) => void;
}

interface Wanted {
  readonly pid?: string;
  readonly root?: ProcessKey;
  readonly endedBefore?: number;
  readonly dryRun?: boolean;
}

export class RunRetention {
  readonly #parts: Parts;
  readonly #results: ResultRetention;
  readonly #archiver: ArchiveRetention | undefined;
  readonly #kept: KeptRuns;
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #collecting: Promise<GcReport> | undefined;
  #ended = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    const { archive } = parts;
    const archiver =
      archive === undefined ? undefined : new ArchiveRetention({ ...parts, archive });
    this.#archiver = archiver;
    this.#kept = new KeptRuns(parts);
    this.#results = new ResultRetention({
      ...parts,
      maxResults: parts.limits.maxResults,
      ...(archiver === undefined ? {} : { keepResults: (runs) => archiver.keepResults(runs) }),
    });
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

  /** What a limit says must go, or what was asked for, to the archive. */
  archive({ pid, root, endedBefore, dryRun = false }: Wanted): Promise<ArchiveReport> {
    const archiver = this.#archiver;
    if (archiver === undefined)
      throw new SysError("ESTATE", "no archive is configured", {
        hint: "name a folder as `archive` of `retention` in config.yaml, and start the daemon again",
      });
    return this.#inTurn(async () => {
      if (root !== undefined) await archiver.mustBeArchivable(pid ?? "", root);
      const finished = await this.#parts.store.finished();
      const going = finished.filter((run) =>
        root === undefined ? run.endedAt < (endedBefore ?? 0) : run.root === root,
      );
      const isSelected = root !== undefined || endedBefore !== undefined;
      const report = await archiver.archive(isSelected ? going : this.#beyond(finished), {
        endedBefore: isSelected ? Infinity : this.#parts.platform.now() - KEPT_AT_LEAST_MS,
        isWhole: isSelected,
        isDry: dryRun,
      });
      if (pid !== undefined && report.archived === 0)
        throw new SysError("ECORRUPT", `${pid} cannot be archived: its records are damaged`, {
          hint: "`aos audit verify` says what is wrong with them",
        });
      if (!dryRun && report.archived > 0) await this.#parts.store.shrink();
      return { dryRun, ...report, bundles: [...report.bundles] };
    });
  }

  async #collect(dryRun: boolean, isQuiet = false): Promise<GcReport> {
    const { store, platform } = this.#parts;
    const isWithin = isQuiet && !(await this.#kept.mayBeBeyond());
    const at = platform.now();
    const finished = isWithin ? [] : await store.finished();
    if (!isWithin) this.#kept.sawAll(finished, at);
    const isDue = !isQuiet || this.#beyond(finished, ARCHIVE_FROM).length > 0;
    const going = this.#archiver === undefined || isDue ? this.#beyond(finished) : [];
    const gone = await this.#empty(going, dryRun);
    if (gone.compacted + gone.archived > 0) this.#kept.forget();
    const removed = dryRun
      ? await this.#results.excess()
      : await this.#results.collect(isQuiet ? TREES_AT_ONCE : undefined);
    if (!dryRun && gone.compacted + gone.archived + removed > 0) await store.shrink();
    return {
      dryRun,
      ...gone,
      kept: finished.length - gone.compacted - gone.archived,
      resultsRemoved: removed,
    };
  }

  async #empty(going: readonly FinishedRun[], isDry: boolean) {
    if (this.#archiver !== undefined) {
      const endedBefore = this.#parts.platform.now() - KEPT_AT_LEAST_MS;
      const report = await this.#archiver.archive(going, { endedBefore, isDry });
      if (report.waiting > 0) this.#ended += 1; // they are looked at again
      const { archived, records: recordsRemoved, bytesFreed } = report;
      return { compacted: 0, archived, recordsRemoved, bytesFreed };
    }
    const bytesFreed = going.reduce((sum, run) => sum + run.bytes, 0);
    let recordsRemoved = going.reduce((sum, run) => sum + run.records, 0);
    if (!isDry && going.length > 0) {
      recordsRemoved = 0;
      for (let from = 0; from < going.length; from += AT_ONCE)
        recordsRemoved += await this.#compact(going.slice(from, from + AT_ONCE));
    }
    return { compacted: going.length, archived: 0, recordsRemoved, bytesFreed };
  }

  /** Those that a limit says must go, oldest first. */
  #beyond(finished: readonly FinishedRun[], times = 1): FinishedRun[] {
    const { limits, platform } = this.#parts;
    const [maxRuns, maxBytes] = [limits.maxRuns * times, limits.maxBytes * times];
    const before = platform.now() - limits.maxAgeMs * times;
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
    await audit.compacting(await compactionHeads(store, runs));
    return (await store.compact(runs.map((run) => run.key))).records;
  }

  #quietly(): void {
    if (this.#collecting !== undefined || this.#parts.platform.now() < this.#restsUntil) return;
    this.#ended = 0;
    this.#collecting = this.#inTurn(() => this.#collect(false, true)).finally(
      () => (this.#collecting = undefined),
    );
    this.#collecting.catch((error: unknown) => {
      this.#parts.trouble("retention failed", error);
      if (this.#archiver === undefined) return;
      this.#restsUntil = this.#parts.platform.now() + REST_MS;
      this.#ended += 1;
    });
  }
}
