// ArchiveRetention: moves finished runs from the store to an archive, in place of compaction.
//
// ARCHIVE-RETENTION-1  Nothing leaves the store before the archive has it durably and has compared it with the store. A crash at
//     any point leaves a run in the store, in the archive or in both.
// ARCHIVE-RETENTION-2  A tree leaves whole, with its rows, in one transaction and under a signed removal. Of a tree that still
//     runs, the finished members keep their results, as after a compaction.
// ARCHIVE-RETENTION-3  The ledger names each bundle and its digest: one that is changed or lost later is found.
// ARCHIVE-RETENTION-4  A run whose records do not follow each other stays where it is, for an audit to find.
// ARCHIVE-RETENTION-5  A bundle has runs of one tenant.

import { SysError } from "@aos/protocol";
import type { AuditLog } from "../audit/audit-log.ts";
import { erasedPart } from "../audit/erasures.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { RunArchive } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { FinishedRun, Store } from "../store/contract.ts";
import type { TreeProcess } from "../store/queries.ts";
import { MOST_REMOVED } from "../store/removal.ts";
import type { ProcessKey } from "../store/rows.ts";
import { archiveBatch, isSound } from "./archive-batch.ts";
import { compactionHeads } from "./compaction-heads.ts";
import { signedRemoval } from "./signed-removal.ts";

/** In the ledger, with the name of a bundle and its digest. */
export const RUNS_ARCHIVED = "runs.archived";

/** Of history in one bundle, unless one run has more. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly ledger: Ledger;
  readonly archive: RunArchive;
  readonly platform: Platform;
  readonly node: string;
  readonly trouble: (what: string, error: unknown) => void;
}

interface Wishes {
  /** Trees that ended later than this stay for now: a caller may still want their results. */
  readonly endedBefore: number;
  /** Nothing is taken out of a tree that still runs. */
  readonly isWhole?: boolean;
  readonly isDry?: boolean;
}

/** Runs that go together: the rows too, or the history alone. */
interface Unit {
  readonly leaves: boolean;
  readonly members: readonly TreeProcess[];
  readonly bytes: number;
}

interface Archived {
  readonly archived: number;
  readonly removed: number;
  readonly records: number;
  readonly bytesFreed: number;
  readonly bundles: readonly string[];
  /** Of those that were to go. */
  readonly waiting: number;
}

export class ArchiveRetention {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async archive(going: readonly FinishedRun[], wishes: Wishes): Promise<Archived> {
    const { units, waiting } = await this.#plan(going, wishes);
    const byKey = new Map(going.map((run) => [run.key, run]));
    const histories = (members: readonly TreeProcess[]) =>
      members.flatMap(({ key }) => byKey.get(key) ?? []);
    const total = { archived: 0, removed: 0, records: 0, bytesFreed: 0 };
    const bundles: string[] = [];
    for (const batch of batchesOf(units)) {
      const members = batch.flatMap((unit) => unit.members);
      if (wishes.isDry !== true) bundles.push(await this.#keep(members));
      const removed = wishes.isDry === true ? leaving(batch).length : await this.#drop(batch);
      total.archived += members.length;
      total.removed += removed;
      for (const { records, bytes } of histories(members)) {
        total.records += records;
        total.bytesFreed += bytes;
      }
    }
    return { ...total, bundles, waiting };
  }

  /** Throws, with the reason, where the tree of a run cannot go now. */
  async mustBeArchivable(pid: string, root: ProcessKey): Promise<void> {
    const tree = await this.#parts.store.tree(root);
    const living = tree.find(({ endedAt }) => endedAt === null);
    if (living !== undefined)
      throw new SysError("ESTATE", `${living.pid}, which is of the same tree, has not ended`, {
        hint: `a tree is archived whole: wait for it (\`aos wait ${living.pid}\`), or kill it`,
      });
    if (tree.every(({ isCompacted }) => isCompacted))
      throw new SysError("ESTATE", `the history of ${pid} was compacted; only its result is left`);
    const finished = new Set((await this.#parts.store.finished()).map(({ key }) => key));
    const shared = tree.find(({ key, isCompacted }) => !isCompacted && !finished.has(key));
    if (shared !== undefined)
      throw new SysError("ESTATE", `a fork shares the history of ${shared.pid}`, {
        hint: "archive the fork first",
      });
  }

  /** The results of runs whose history is gone, before their rows go too. Those that the archive has are not written again. */
  async keepResults(members: readonly { readonly key: ProcessKey; readonly pid: string }[]) {
    const { store, archive } = this.#parts;
    const row = await store.processByKey(members[0]!.key);
    if (row === undefined) return; // another node was faster
    const tenant = await store.tenantName(row.tenant);
    const known = await archive.has(
      tenant,
      members.map(({ pid }) => pid),
    );
    const unknown = members.filter(({ pid }) => !known.has(pid));
    if (unknown.length > 0) await this.#keep(unknown);
  }

  /** ARCHIVE-RETENTION-1, ARCHIVE-RETENTION-3: to be awaited before anything of them is removed. */
  async #keep(members: readonly { readonly key: ProcessKey }[]): Promise<string> {
    const { store, audit, archive, ledger, journal } = this.#parts;
    const batch = await archiveBatch(
      store,
      audit,
      members.map(({ key }) => key),
    );
    const { bundle, sha256 } = await archive.keep(batch);
    const detail = { bundle, sha256, runs: batch.runs.length };
    ledger.add({ by: "kernel", what: RUNS_ARCHIVED, detail });
    await journal.durable();
    return bundle;
  }

  /** Answers how many rows went. */
  async #drop(batch: readonly Unit[]): Promise<number> {
    const { store, audit } = this.#parts;
    const members = batch.flatMap((unit) => unit.members);
    await audit.compacting(
      await compactionHeads(
        store,
        members.filter(({ isCompacted }) => !isCompacted),
      ),
    );
    const gone = leaving(batch);
    const rest = batch.flatMap((unit) => (unit.leaves ? [] : unit.members));
    if (rest.length > 0) await store.compact(rest.map(({ key }) => key));
    if (gone.length === 0) return 0;
    const keys = gone.map(({ key }) => key);
    if (await store.removeFinished(await signedRemoval(this.#parts, gone), keys))
      return gone.length;
    await store.compact(keys); // one of them is held by something that came in between: its result stays
    return 0;
  }

  async #plan(going: readonly FinishedRun[], { endedBefore, isWhole: mustBeWhole }: Wishes) {
    const { store } = this.#parts;
    const byKey = new Map(going.map((run) => [run.key, run]));
    const bytesOf = (members: readonly TreeProcess[]) =>
      members.reduce((sum, { key }) => sum + (byKey.get(key)?.bytes ?? 0), 0);
    const units: Unit[] = [];
    let waiting = 0;
    for (const [root, runs] of Map.groupBy(going, (run) => run.root)) {
      const tree = await store.tree(root);
      const mine = tree.filter(({ key }) => byKey.has(key));
      const isOver = tree.every(({ endedAt }) => endedAt !== null);
      const isWhole = tree.every(({ key, isCompacted }) => isCompacted || byKey.has(key));
      const isSettled = tree.every(({ endedAt }) => (endedAt ?? 0) < endedBefore);
      const mayGo = isOver ? isWhole && isSettled : mustBeWhole !== true;
      if (!mayGo || !(await this.#areSound(mine))) {
        waiting += runs.length;
        continue;
      }
      const leaves = isOver && !(await store.hasGivenAway(root));
      const members = leaves ? tree.toSorted((a, b) => b.key - a.key) : mine;
      for (let from = 0; from < members.length; from += MOST_REMOVED) {
        const part = members.slice(from, from + MOST_REMOVED);
        units.push({ leaves, members: part, bytes: bytesOf(part) });
      }
    }
    return { units, waiting };
  }

  /** ARCHIVE-RETENTION-4. */
  async #areSound(members: readonly TreeProcess[]): Promise<boolean> {
    const { store, trouble } = this.#parts;
    for (const { key, pid } of members) {
      const row = await store.processByKey(key);
      const erased = row && (await erasedPart(store, row));
      if (erased !== undefined) {
        trouble(`${pid} is not archived`, erased);
        return false;
      }
      if (await isSound(store, key)) continue;
      const hint = "`aos audit verify` says what is wrong with it";
      const error = new SysError("ECORRUPT", `the records of ${pid} are damaged`, { hint });
      trouble(`${pid} is not archived`, error);
      return false;
    }
    return true;
  }
}

const leaving = (batch: readonly Unit[]) =>
  batch.flatMap((unit) => (unit.leaves ? unit.members : []));

/** ARCHIVE-RETENTION-5. Whole units, as many as fit into one bundle and one removal. */
function batchesOf(units: readonly Unit[]): Unit[][] {
  const batches: Unit[][] = [];
  for (const ofTenant of Map.groupBy(units, ({ members }) => members[0]!.tenant).values()) {
    let batch: Unit[] = [];
    let [runs, bytes] = [0, 0];
    for (const unit of ofTenant) {
      const isFull = runs + unit.members.length > MOST_REMOVED || bytes + unit.bytes > MOST_BYTES;
      if (isFull && batch.length > 0) {
        batches.push(batch);
        batch = [];
        [runs, bytes] = [0, 0];
      }
      batch.push(unit);
      runs += unit.members.length;
      bytes += unit.bytes;
    }
    batches.push(batch);
  }
  return batches;
}
