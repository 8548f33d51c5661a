// Run rows: whole trees of runs as a SQLite file of their own, with all that a replay reads.
//
// RUN-ROWS-1  Records, hashes and the fixed part of a process are the same bytes as in the store that they come from. A
//     fork has the history that it shares as its own.
// RUN-ROWS-2  Nothing of anybody else is in it: of values that are stored once for a tenant, those that the records refer to.
// RUN-ROWS-3  A run without history, and one that is there only because others stand below it, keeps its result and the
//     end of its chain, and says that it is compacted.

import { DatabaseSync } from "node:sqlite";
import type { Extension, Store, Write } from "../contract.ts";
import type { ChainRow, ProcessKey, ProcessRow, RecordRow, TenantKey } from "../rows.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

export interface RunRows {
  readonly runs: number;
  readonly records: number;
}

export async function writeRunRows(
  source: Store,
  keys: readonly ProcessKey[],
  file: string,
  /** Those of whom nothing but the row is wanted. */
  withoutHistory: ReadonlySet<ProcessKey> = new Set(),
): Promise<RunRows> {
  await openSqliteStore(file).close(); // makes the tables
  const rows: ProcessRow[] = [];
  for (const key of keys) {
    const row = await source.processByKey(key);
    if (row !== undefined) rows.push(row);
  }
  await writeTenants(source, rows, file);
  const target = openSqliteStore(file);
  let records = 0;
  try {
    for (const row of rows)
      records += await writeRun(source, target, {
        ...row,
        compacted: row.compacted || withoutHistory.has(row.key),
      });
  } finally {
    await target.close();
  }
  const bare = rows.filter(({ key, compacted }) => compacted || withoutHistory.has(key));
  await keepEnds(source, bare, file);
  return { runs: rows.length, records };
}

/** Under the same numbers: what a process is born with names its tenant by it. */
async function writeTenants(
  source: Store,
  rows: readonly ProcessRow[],
  file: string,
): Promise<void> {
  const database = new DatabaseSync(file);
  try {
    for (const key of new Set(rows.map(({ tenant }) => tenant))) {
      const name = await source.tenantName(key);
      database.prepare("delete from tenant where id = ? or name = ?").run(key, name);
      database.prepare("insert into tenant (id, name) values (?, ?)").run(key, name);
    }
  } finally {
    database.close();
  }
}

/** RUN-ROWS-3. */
async function keepEnds(source: Store, rows: readonly ProcessRow[], file: string): Promise<void> {
  if (rows.length === 0) return;
  const database = new DatabaseSync(file);
  try {
    const mark = database.prepare("update process set compacted = 1 where key = ?");
    const end = database.prepare(
      `update chain set seq = ?, hash = ?, micro_usd = ?, tokens = ?, tool_calls = ?, over_micro_usd = ?, over_tokens = ?
         where process = ?`,
    );
    for (const { key } of rows) {
      const chain = (await source.chain(key))!;
      const { seq, hash, microUsd, tokens, toolCalls, overMicroUsd, overTokens } = chain;
      mark.run(key);
      end.run(seq, hash, microUsd, tokens, toolCalls, overMicroUsd, overTokens, key);
    }
  } finally {
    database.close();
  }
}

async function writeRun(source: Store, target: Store, row: ProcessRow): Promise<number> {
  const chain = (await source.chain(row.key))!;
  const records = row.compacted ? [] : await source.records(row.key, { upTo: chain.seq });
  const manifest = await source.manifest(row.tenant, row.spec.manifestHash);
  const { key, tenant } = row;
  const writes: Write[] = [
    { op: "process.add", row, node: chain.node },
    ...(manifest === undefined
      ? []
      : [{ op: "manifest.put", tenant, hash: row.spec.manifestHash, body: manifest } as const]),
    ...(await blobsOf(source, row, records)),
    { op: "process.patch", key, patch: patchOf(row) },
  ];
  const { fenced } = await target.commit(
    records.length === 0 ? [] : [extensionOf(row, chain, records)],
    writes,
  );
  if (fenced.length > 0) throw new Error(`the records of ${row.pid} do not follow each other`);
  return records.length;
}

const extensionOf = (
  { key, tenant, pid, startedAt }: ProcessRow,
  chain: ChainRow,
  records: readonly RecordRow[],
): Extension => ({
  process: key,
  tenant,
  pid,
  epoch: 1,
  at: startedAt,
  firstSeq: 0, // RUN-ROWS-1: also where they are another's
  records: records.map(({ text, hash }) => ({ text, hash })),
  writes: [],
  spend: [],
  microUsd: chain.microUsd,
  tokens: chain.tokens,
  toolCalls: chain.toolCalls,
  overMicroUsd: chain.overMicroUsd,
  overTokens: chain.overTokens,
});

function patchOf(row: ProcessRow) {
  const { state, base, label, exitCode, endedAt, output, error } = row;
  return {
    state,
    base,
    label,
    ...(exitCode === null ? {} : { exitCode }),
    ...(endedAt === null ? {} : { endedAt }),
    ...(output === null ? {} : { output: JSON.stringify(output) }),
    error: error === null ? null : JSON.stringify(error),
  };
}

const REFERENCE = /"\$(blob|chain)":"([0-9a-f]{64})"/g;

/** RUN-ROWS-2. */
async function blobsOf(
  source: Store,
  { key, tenant }: ProcessRow,
  records: readonly RecordRow[],
): Promise<Write[]> {
  return [...(await referencedBlobs(source, tenant, records))].map(([digest, body]) => ({
    op: "blob.put",
    tenant,
    process: key,
    digest,
    body,
  }));
}

/** The large values that records refer to, as far as they are stored. */
export async function referencedBlobs(
  source: Pick<Store, "blob">,
  tenant: TenantKey,
  records: readonly RecordRow[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { text } of records)
    for (const [, kind, digest] of text.matchAll(REFERENCE))
      for (let next = digest!; next !== "" && !found.has(next);) {
        const body = await source.blob(tenant, next);
        if (body === undefined) break; // a state that retention dropped
        found.set(next, body);
        next = kind === "chain" ? (JSON.parse(body) as { prev: string }).prev : "";
      }
  return found;
}
