// Audit: a full check of everything recorded, against itself and against the signed log. A finding names the process
// and the record.
//
// AUDIT-1  Writes during the check cause no findings: a chain is judged up to the end that it had when the check
//     reached it.
// AUDIT-2  Unreadable data is a finding.
// AUDIT-3  Removals by retention during the check cause no findings: the log is read again first.
// AUDIT-4  A run without rows is a finding unless a signed removal names it.

import type { JournalRecord, OnProgress } from "@aos/protocol";
import type { AuditFinding, AuditReport } from "../api.ts";
import { hexOf } from "../journal/chain.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { Store } from "../store/contract.ts";
import type { ChainRow, FileRow, ProcessKey, ProcessRow, RecordRow } from "../store/rows.ts";
import { BlobCheck } from "./audit-blobs.ts";
import { Erasures, readErasures } from "./erasures.ts";
import { LedgerCheck } from "./audit-ledger.ts";
import type { AuditLog, LoggedHead } from "./audit-log.ts";
import { holdingProblems } from "./audit-holdings.ts";
import { memoryProblems } from "./audit-memory.ts";
import { ManifestCheck, isResultDigestOf, rowProblems } from "./audit-rows.ts";
import { spendProblem } from "./audit-spend.ts";
import { ProcessCheck } from "./process-check.ts";
import { removedRuns } from "./removed-runs.ts";

/** How often a process that goes on while it is looked at is looked at again. */
const MAX_LOOKS = 10;

export async function verifyAll(
  store: Store,
  log: AuditLog,
  onProgress: OnProgress = () => {},
): Promise<AuditReport> {
  return new Audit(store, log).run(onProgress);
}

/** A process as it was when it was looked at. */
interface Moment {
  readonly chain: ChainRow | undefined;
  readonly row: ProcessRow;
  readonly stamp: string;
}

/** What was removed on request, and by whom. */
async function erasedBy(store: Store, { rows }: Erasures): Promise<AuditReport["erasures"]> {
  return Promise.all(
    rows.map(async ({ key, tenant, at, by, items }) => ({
      id: String(key),
      at: new Date(at).toISOString(),
      by,
      tenant: await store.tenantName(tenant),
      records: items.records.length,
      values: items.blobs.length,
      rows: items.rows + items.results.length,
      runs: [...items.runs],
    })),
  );
}

class Audit {
  readonly #store: Store;
  readonly #log: AuditLog;
  #blobs: BlobCheck;
  #erasures = new Erasures([]);
  readonly #manifests: ManifestCheck;
  readonly #logged = new Map<string, LoggedHead[]>();
  readonly #seen = new Set<string>();
  #records = 0;
  /** So many entries of the log are read. */
  #read = 0;
  readonly #findings: AuditFinding[] = [];
  #isLogSound = true;
  /** By the pid of the writer. */
  #files: Map<string, FileRow[]> | undefined;

  constructor(store: Store, log: AuditLog) {
    this.#store = store;
    this.#log = log;
    this.#blobs = new BlobCheck(store, this.#erasures);
    this.#manifests = new ManifestCheck(store);
  }

  async run(onProgress: OnProgress): Promise<AuditReport> {
    const logFindings = await this.#log.findings();
    for (const { file, problem } of logFindings)
      this.#find("log", null, null, `${file}: ${problem}`);
    this.#isLogSound = logFindings.length === 0;
    if (this.#isLogSound) await this.#readLog();

    this.#erasures = await readErasures(this.#store, this.#log);
    this.#blobs = new BlobCheck(this.#store, this.#erasures);
    for (const problem of this.#erasures.problems) this.#find("changed", null, null, problem);
    const keys = await this.#store.allKeys();
    for (const [done, key] of keys.entries()) {
      onProgress({ done, total: keys.length, detail: `${this.#records} records` });
      this.#findings.push(...(await this.#checkUntilQuiet(key)));
    }
    const removed = await this.#removed();
    await this.#checkLedger(removed);
    for (const [pid, heads] of this.#logged) {
      if (this.#seen.has(pid) || removed.has(pid)) continue;
      const { seq } = heads.at(-1)!;
      const gone = `${pid} was logged up to record ${seq}, but is not in the database`;
      this.#find("missing", pid, seq, gone);
    }
    for (const problem of await this.#blobs.others()) this.#find("blob", null, null, problem);
    await this.#checkUnreached();
    await this.#checkSpend();
    return {
      ok: this.#findings.length === 0,
      processes: keys.length,
      records: this.#records,
      logged: this.#log.size,
      findings: this.#findings,
      erasures: await erasedBy(this.#store, this.#erasures),
    };
  }

  #find(kind: AuditFinding["kind"], pid: string | null, seq: number | null, message: string): void {
    this.#findings.push({ kind, pid, seq, message });
  }

  /** AUDIT-4. */
  async #removed(): Promise<ReadonlySet<string>> {
    const { pids, problems } = await removedRuns(this.#store, this.#log);
    for (const problem of problems) this.#find("changed", null, null, problem);
    return pids;
  }

  async #checkLedger(removed: ReadonlySet<string>): Promise<void> {
    const check = new LedgerCheck(this.#store, this.#log, (...found) => this.#find(...found));
    const gone = new Set([...removed, ...this.#erasures.runs]); // their questions may be erased
    try {
      for (const name of await check.run(this.#logged, gone)) this.#seen.add(name);
    } catch (error) {
      this.#find("changed", null, null, `the ledger cannot be read: ${(error as Error).message}`);
    }
  }

  /** What was logged since it was last read. */
  async #readLog(): Promise<void> {
    for await (const head of this.#log.heads(this.#read)) {
      this.#read += 1;
      const heads = this.#logged.get(head.pid);
      if (head.accepted === true) {
        // What was lost, and who accepted it, is in the ledger.
        if (head.seq < 0) this.#logged.delete(head.pid);
        else this.#logged.set(head.pid, [head]);
      } else if (heads === undefined) this.#logged.set(head.pid, [head]);
      else heads.push(head);
    }
  }

  /** AUDIT-1: its row and its journal are read one after the other; what moved meanwhile is read again. */
  async #checkUntilQuiet(key: ProcessKey): Promise<AuditFinding[]> {
    let pid: string | null = null;
    try {
      for (let look = 1; ; look++) {
        const before = await this.#momentOf(key);
        if (before === undefined) return []; // removed meanwhile, or missed by the log (AUDIT-4)
        ({ pid } = before.row);
        const findings = await this.#checkProcess(before);
        const isQuiet =
          findings.length === 0 || (await this.#momentOf(key))?.stamp === before.stamp;
        if (!isQuiet && look < MAX_LOOKS) continue;
        if (!before.row.compacted) this.#records += (before.chain?.seq ?? -1) + 1;
        return findings;
      }
    } catch (error) {
      const who = pid ?? `process ${key}`;
      const message = `the rows of ${who} cannot be read: ${(error as Error).message}`;
      return [{ kind: "changed", pid, seq: null, message }];
    }
  }

  async #momentOf(key: ProcessKey): Promise<Moment | undefined> {
    const chain = await this.#store.chain(key);
    const row = await this.#store.processByKey(key);
    if (row === undefined) return undefined;
    return { chain, row, stamp: `${chain?.seq} ${row.compacted}` };
  }

  async #checkProcess({ row, chain }: Moment): Promise<AuditFinding[]> {
    const check = new ProcessCheck(row, this.#logged.get(row.pid) ?? []);
    this.#seen.add(row.pid);
    if (chain === undefined) check.find("missing", null, "it has no chain");
    else if (row.compacted) await this.#checkCompacted(check, chain);
    else await this.#checkHistory(check, chain);
    const missing = await this.#manifests.problem(row);
    if (missing !== undefined) check.find("changed", 0, missing);
    await this.#checkPlace(check);
    return check.findings;
  }

  /** Where it stands in its tree. */
  async #checkPlace(check: ProcessCheck): Promise<void> {
    const { key, parent, parentPid, root } = check.row;
    const above = parent === null ? undefined : await this.#store.processByKey(parent);
    if ((above?.pid ?? null) !== parentPid) check.find("changed", 0, "its parent is another");
    if (root !== (above?.root ?? key)) check.find("changed", 0, "it is in another tree");
  }

  async #checkCompacted(check: ProcessCheck, chain: ChainRow): Promise<void> {
    if (!this.#log.isKept) return;
    const { row } = check;
    if (this.#isLogSound) await this.#readLog(); // AUDIT-3
    const heads = this.#logged.get(row.pid) ?? [];
    const last = heads.findLast((head) => head.compacted === true);
    if (last !== undefined) {
      if (chain.seq !== last.seq || hexOf(chain.hash) !== last.hash)
        check.find("changed", last.seq, "the kept end of its chain is not the logged one");
      if (!isResultDigestOf(this.#erasures.resultAfter(row.pid, last.result!), row, chain))
        check.find("changed", last.seq, "its kept result is not the logged one");
      return;
    }
    // On a shared store another node may have removed it, and has said so in its own log.
    const logged = heads.at(-1);
    const mayBeAnothers =
      this.#store.kind === "postgres" &&
      (logged === undefined || (logged.seq === chain.seq && logged.hash === hexOf(chain.hash)));
    if (!mayBeAnothers)
      check.find("missing", null, "its history is missing, and retention did not remove it");
  }

  async #checkHistory(check: ProcessCheck, chain: ChainRow): Promise<void> {
    const rows = await this.#store.records(check.row.key, { upTo: chain.seq });
    if (!check.chain(rows, chain, this.#erasures)) return;
    await this.#checkOwners(check, rows);
    for (const { tenant, text, seq } of rows) {
      const problem = await this.#blobs.problemIn(tenant, text);
      if (problem !== undefined) check.find("blob", seq, problem);
    }
    const records = rows.map(({ text }) => parseRecord(text));
    const held = await this.#store.holdingsOf(check.row.key);
    for (const { seq, problem } of [
      ...rowProblems(check.row, chain, rows, records, this.#erasures),
      ...holdingProblems(held, records),
      ...(await this.#memoryProblems(check.row, records)),
    ])
      check.find("changed", seq, problem);
  }

  /** Files are read once for all; what does not fit may have been written since, and is read again. */
  async #memoryProblems(row: ProcessRow, records: readonly JournalRecord[]) {
    const fetch = (digest: string) => this.#store.blob(row.tenant, digest);
    const look = async () => {
      this.#files ??= Map.groupBy(await this.#store.allFiles(), ({ writer }) => writer);
      return memoryProblems(row, records, this.#files.get(row.pid) ?? [], fetch);
    };
    const problems = await look();
    if (problems.length === 0) return problems;
    this.#files = undefined;
    return look();
  }

  /** Each record is of the process itself, or of the one whose history it shares. */
  async #checkOwners(check: ProcessCheck, rows: readonly RecordRow[]): Promise<void> {
    let owner: ProcessRow | undefined = check.row;
    for (const { process, seq } of rows.toReversed()) {
      while (owner?.spec.forkedFrom !== undefined && seq <= owner.spec.forkedFrom.at)
        owner = await this.#store.processByKey(owner.spec.forkedFrom.key);
      if (process !== owner?.key) check.find("changed", seq, "it carries another process");
    }
  }

  async #checkSpend(): Promise<void> {
    const problem = await spendProblem(this.#store);
    if (problem !== undefined) this.#find("changed", null, null, problem);
  }

  async #checkUnreached(): Promise<void> {
    try {
      for (const { process, text } of await this.#store.unreached()) {
        const seq = Number(/"seq":(\d+)/.exec(text)?.[1] ?? -1);
        const pid = (await this.#store.processByKey(process))?.pid ?? null;
        const who = pid ?? `process ${process}`;
        this.#find("reordered", pid, seq, `record ${seq} of ${who} is not where its chain leads`);
      }
    } catch (error) {
      this.#find("changed", null, null, `the journal cannot be read: ${(error as Error).message}`);
    }
  }
}
