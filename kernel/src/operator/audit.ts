// Audit: a full check of everything that is recorded, against itself and against the signed log. A
// finding names the process and the record.

import type { EndRecord, JournalRecord } from "@aos/protocol";
import type { AuditFinding, AuditReport } from "../api.ts";
import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import { digestOf } from "../journal/codec.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow, RecordRow } from "../store/rows.ts";
import type { AuditLog, LoggedHead } from "./audit-log.ts";

export async function verifyAll(store: Store, log: AuditLog): Promise<AuditReport> {
  const findings: AuditFinding[] = [];
  const logFindings = await log.findings();
  for (const { file, problem } of logFindings)
    findings.push({ kind: "log", pid: null, seq: null, message: `${file}: ${problem}` });
  const logged =
    logFindings.length === 0 ? await loggedByProcess(log) : new Map<string, LoggedHead[]>();

  const keys = await store.allKeys();
  let records = 0;
  for (const key of keys) {
    const checked = await checkProcess(store, key, logged, log.isKept);
    records += checked.records;
    findings.push(...checked.findings);
  }
  for (const [pid, heads] of logged) {
    findings.push({
      kind: "missing",
      pid,
      seq: heads.at(-1)!.seq,
      message: `${pid} was logged up to record ${heads.at(-1)!.seq}, and is not in the database`,
    });
  }
  findings.push(...(await checkBlobs(store)), ...(await checkUnreached(store)));
  return { ok: findings.length === 0, processes: keys.length, records, logged: log.size, findings };
}

async function loggedByProcess(log: AuditLog): Promise<Map<string, LoggedHead[]>> {
  const logged = new Map<string, LoggedHead[]>();
  for await (const head of log.heads()) {
    const heads = logged.get(head.pid);
    if (heads === undefined) logged.set(head.pid, [head]);
    else heads.push(head);
  }
  return logged;
}

/** Checks one process, and takes its heads out of `logged`. */
async function checkProcess(
  store: Store,
  key: ProcessKey,
  logged: Map<string, LoggedHead[]>,
  isLogged: boolean,
): Promise<{ records: number; findings: AuditFinding[] }> {
  let row: ProcessRow | undefined;
  try {
    row = (await store.processByKey(key))!;
    const heads = logged.get(row.pid) ?? [];
    logged.delete(row.pid);
    if (row.compacted)
      return { records: 0, findings: await checkCompacted(store, row, heads, isLogged) };
    const rows = await store.records(key);
    return { records: rows.length, findings: await checkHistory(store, row, rows, heads) };
  } catch (error) {
    const message = `the rows of ${row?.pid ?? key} cannot be read: ${(error as Error).message}`;
    return {
      records: 0,
      findings: [{ kind: "changed", pid: row?.pid ?? null, seq: null, message }],
    };
  }
}

async function checkCompacted(
  store: Store,
  row: ProcessRow,
  heads: LoggedHead[],
  isLogged: boolean,
): Promise<AuditFinding[]> {
  if (!isLogged) return [];
  const chain = await store.chain(row.key);
  const last = heads.findLast((head) => head.compacted === true);
  if (last === undefined) {
    return [
      {
        kind: "missing",
        pid: row.pid,
        seq: null,
        message: `the history of ${row.pid} is gone, and no retention removed it`,
      },
    ];
  }
  if (chain === undefined || chain.seq !== last.seq || hexOf(chain.hash) !== last.hash) {
    return [
      {
        kind: "changed",
        pid: row.pid,
        seq: last.seq,
        message: `the kept chain head of ${row.pid} is not the logged one`,
      },
    ];
  }
  return [];
}

async function checkHistory(
  store: Store,
  row: ProcessRow,
  rows: readonly RecordRow[],
  heads: readonly LoggedHead[],
): Promise<AuditFinding[]> {
  const { pid } = row;
  const findings: AuditFinding[] = [];
  const find = (kind: AuditFinding["kind"], seq: number, message: string) => {
    findings.push({ kind, pid, seq, message: `${pid} record ${seq}: ${message}` });
  };
  const chain = await store.chain(row.key);
  if (chain === undefined)
    return [{ kind: "missing", pid, seq: null, message: `${pid} has no chain` }];

  const first = rows[0]?.seq ?? chain.seq + 1;
  if (rows.length === 0 || first > 0) {
    find("missing", first - 1, "it is not there, or what leads to it was changed");
    return findings;
  }
  let hash = CHAIN_START;
  let last: JournalRecord | undefined;
  for (const [index, stored] of rows.entries()) {
    if (stored.seq !== index) {
      find("missing", index, "it is not there");
      return findings;
    }
    hash = linkHash(hash, stored.text);
    if (hash !== hexOf(stored.hash)) {
      find("changed", index, "it is not what was written");
      return findings;
    }
    last = JSON.parse(stored.text) as JournalRecord;
    if (last.seq !== index) {
      find("reordered", index, `what stands there is record ${last.seq}`);
      return findings;
    }
    if (stored.tenant !== row.tenant) find("changed", index, "it carries another tenant");
  }
  if (rows.length - 1 !== chain.seq || hash !== hexOf(chain.hash))
    find("truncated", rows.length, "the chain's end is not where the chain ends");
  for (const head of heads) {
    const record = rows[head.seq];
    if (record === undefined)
      find("truncated", head.seq, "it was logged, and is not there any more");
    else if (hexOf(record.hash) !== head.hash) find("changed", head.seq, "another one was logged");
  }
  findings.push(...(await checkRow(store, row, rows[0]!.text, last!)));
  return findings;
}

/** What the row says must be what the journal says. */
async function checkRow(
  store: Store,
  row: ProcessRow,
  startText: string,
  last: JournalRecord,
): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  const find = (seq: number, message: string) =>
    findings.push({ kind: "changed", pid: row.pid, seq, message: `${row.pid}: ${message}` });
  const start = JSON.parse(startText) as { manifest?: string };
  if (start.manifest !== row.spec.manifestHash)
    find(0, "its manifest is not the one that it was started with");
  const manifest = await store.manifest(row.tenant, row.spec.manifestHash);
  if (manifest === undefined || digestOf(manifest) !== row.spec.manifestHash)
    find(0, "its stored manifest was changed");
  const end = last.kind === "end" ? (last as EndRecord) : undefined;
  const isEnded = row.endedAt !== null;
  if (isEnded !== (end !== undefined))
    find(last.seq, `its row says ${row.state}, and its journal ends with ${last.kind}`);
  else if (end !== undefined && (end.state !== row.state || end.code !== row.exitCode))
    find(last.seq, "its row does not say how its journal ends");
  else if (end !== undefined && !sameOutput(end, row))
    find(last.seq, "the output in its row is not the recorded one");
  return findings;
}

function sameOutput(end: EndRecord, row: ProcessRow): boolean {
  const text = JSON.stringify(row.output ?? null);
  const recorded = end.output as { $blob?: string } | null | undefined;
  if (recorded !== null && typeof recorded === "object" && typeof recorded.$blob === "string")
    return digestOf(text) === recorded.$blob;
  return text === JSON.stringify(recorded ?? null);
}

async function checkBlobs(store: Store): Promise<AuditFinding[]> {
  const findings: AuditFinding[] = [];
  for await (const { digest, body } of store.blobs()) {
    if (digestOf(body) !== digest)
      findings.push({
        kind: "blob",
        pid: null,
        seq: null,
        message: `the blob ${digest} was changed`,
      });
  }
  return findings;
}

async function checkUnreached(store: Store): Promise<AuditFinding[]> {
  const unreached = await store.unreached().catch(() => []);
  return unreached.map(({ process, text }) => {
    const seq = Number(/"seq":(\d+)/.exec(text)?.[1] ?? -1);
    return {
      kind: "reordered",
      pid: null,
      seq,
      message: `a record of process ${process} (seq ${seq}) belongs to no chain`,
    };
  });
}
