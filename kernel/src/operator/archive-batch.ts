// Archive batch: runs as an archive is given them, and the comparison of what it read back with the store.
//
// ARCHIVE-BATCH-1  What is compared is every record with its hash, every large value that a record refers to, the
//     manifest, and the result: the bytes of the store, not what was meant to be written.

import { isDeepStrictEqual } from "node:util";
import { SysError, type ProcessId } from "@aos/protocol";
import type { AuditLog } from "../audit/audit-log.ts";
import { resultDigest } from "../audit/audit-rows.ts";
import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import type { ArchiveBatch } from "../options.ts";
import type { Store } from "../store/contract.ts";
import { referencedBlobs, writeRunRows } from "../store/copy/run-rows.ts";
import { openStore } from "../store/open.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

export async function archiveBatch(
  store: Store,
  audit: Pick<AuditLog, "sign" | "verifierKey">,
  keys: readonly ProcessKey[],
): Promise<ArchiveBatch> {
  const rows = await rowsOf(store, keys);
  const above = await ancestorsOf(store, rows);
  const tenant = await store.tenantName(rows[0]!.tenant);
  const runs = await Promise.all(rows.map((row) => archivedRun(store, row)));
  const all = [...above, ...rows].map(({ key }) => key).toSorted((a, b) => a - b);
  return {
    tenant,
    runs,
    write: (file) => writeRunRows(store, all, file, new Set(above.map(({ key }) => key))),
    compare: (file) => compare(store, rows, file),
    sign: (text) => audit.sign(text),
    signer: audit.verifierKey,
  };
}

export async function archivedRun(
  store: Store,
  row: ProcessRow,
): Promise<ArchiveBatch["runs"][number]> {
  return {
    pid: row.pid as ProcessId,
    agent: row.agent,
    tenant: await store.tenantName(row.tenant),
    parent: row.parentPid as ProcessId | null,
    state: row.state,
    exitCode: row.exitCode,
    startedAt: iso(row.startedAt),
    endedAt: iso(row.endedAt!),
    records: (await store.chain(row.key))!.seq + 1,
    hasHistory: !row.compacted,
  };
}

/** Whether the records of a run lead to the end that its chain has. */
export async function isSound(store: Store, key: ProcessKey): Promise<boolean> {
  const chain = await store.chain(key);
  if (chain === undefined) return false;
  const records = await store.records(key, { upTo: chain.seq });
  let hash = CHAIN_START;
  for (const record of records) {
    hash = linkHash(hash, record.text);
    if (hash !== hexOf(record.hash)) return false;
  }
  return records.length === chain.seq + 1 && hash === hexOf(chain.hash);
}

async function rowsOf(store: Store, keys: readonly ProcessKey[]): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const key of keys) {
    const row = await store.processByKey(key);
    if (row === undefined) throw new SysError("EAGAIN", "another node archives the same runs");
    rows.push(row);
  }
  return rows;
}

/** Those above that are not among them: what a child may do follows from what they are. */
async function ancestorsOf(store: Store, rows: readonly ProcessRow[]): Promise<ProcessRow[]> {
  const known = new Set(rows.map(({ key }) => key));
  const above: ProcessRow[] = [];
  for (const row of rows)
    for (let next = row.parent; next !== null && !known.has(next);) {
      const parent = await store.processByKey(next);
      if (parent === undefined) break;
      known.add(next);
      above.push(parent);
      next = parent.parent;
    }
  return above;
}

/** ARCHIVE-BATCH-1. */
async function compare(store: Store, rows: readonly ProcessRow[], file: string): Promise<void> {
  const copy = await openStore({ file });
  try {
    for (const row of rows)
      if (!isDeepStrictEqual(await contentOf(store, row), await contentOf(copy, row)))
        throw new SysError(
          "ECORRUPT",
          `the bundle does not have ${row.pid} as the database has it`,
          {
            hint: "nothing was removed; check the disk of the archive",
          },
        );
  } finally {
    await copy.close();
  }
}

async function contentOf(store: Store, { key, pid, tenant }: ProcessRow) {
  const row = await store.processByKey(key);
  const chain = await store.chain(key);
  if (row?.pid !== pid || chain === undefined) return undefined;
  const records = row.compacted ? [] : await store.records(key, { upTo: chain.seq });
  return {
    compacted: row.compacted,
    tenant: await store.tenantName(row.tenant),
    result: resultDigest(row, chain),
    seq: chain.seq,
    head: hexOf(chain.hash),
    manifest: await store.manifest(tenant, row.spec.manifestHash),
    records: records.map(({ text, hash }) => [text, hexOf(hash)]),
    blobs: await referencedBlobs(store, tenant, records),
  };
}
