// Reads: every query whose SQL both databases share, by family; here those about chains, values,
// files and tenants.

import type { SignalName } from "@aos/protocol";
import { numberValue, textValue, type Row, type RunQuery } from "./row-values.ts";
import { authorityReads } from "./authority-reads.ts";
import { blobReads } from "./blob-reads.ts";
import { erasureReads } from "./erasure.ts";
import { mailReads } from "./mail-reads.ts";
import { postReads } from "./post-reads.ts";
import { processReads } from "./process-reads.ts";
import { questionReads } from "./question-reads.ts";
import { fleetReads } from "./fleet-reads.ts";
import { scheduleReads } from "./schedule-reads.ts";
import { spendReads } from "./spend.ts";
import type { StoredEnd, TenantSum } from "./contract.ts";
import type { FileQuery, FileUsage, ListedFile } from "./queries.ts";
import type {
  ChainRow,
  EmbeddingRow,
  FileRow,
  ProcessKey,
  SignalRow,
  TenantKey,
  TenantRow,
} from "./rows.ts";
import type { SpendOverrun, SpendAmounts } from "./spend-row.ts";

const fileRow = (row: Row): FileRow => ({ ...fileOf(row), data: textValue(row["data"]) });

const fileOf = (row: Row): Omit<FileRow, "data"> => ({
  tenant: numberValue(row["tenant"]),
  space: numberValue(row["space"]),
  path: textValue(row["path"]),
  writer: textValue(row["writer"]),
  label: textValue(row["label"]),
  writtenAt: numberValue(row["written_at"]),
});

export const chainRow = (row: Row): ChainRow => ({
  process: numberValue(row["process"]),
  node: textValue(row["node"]),
  epoch: numberValue(row["epoch"]),
  seq: numberValue(row["seq"]),
  hash: row["hash"] as Uint8Array,
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
  toolCalls: numberValue(row["tool_calls"]),
  overMicroUsd: numberValue(row["over_micro_usd"]),
  overTokens: numberValue(row["over_tokens"]),
  formerUsd: numberValue(row["usd"]),
});

export const signalRow = (row: Row): SignalRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  process: numberValue(row["process"]),
  signal: textValue(row["signal"]) as SignalName,
  cause: textValue(row["cause"]),
  sentAt: numberValue(row["sent_at"]),
});

export const spentRow = (row: Row): SpendAmounts & SpendOverrun => ({
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
  toolCalls: numberValue(row["calls"]),
  overMicroUsd: numberValue(row["over_micro_usd"]),
  overTokens: numberValue(row["over_tokens"]),
});

/** What a process `?1` and all that it spawned, directly or not, have spent. */
export const SPENT_BY_TREE = `
  with recursive below (key) as (
    select cast(? as bigint) union all select process.key from process join below on process.parent = below.key)
  select coalesce(sum(micro_usd), 0) as micro_usd, coalesce(sum(tokens), 0) as tokens, coalesce(sum(tool_calls), 0) as calls,
      coalesce(sum(over_micro_usd), 0) as over_micro_usd, coalesce(sum(over_tokens), 0) as over_tokens
    from below cross join chain where chain.process = below.key`;

const chainReads = (query: RunQuery) => ({
  async chain(key: ProcessKey): Promise<ChainRow | undefined> {
    const [row] = await query("select * from chain where process = ?", [key]);
    return row && chainRow(row);
  },

  async lastGrownAt(): Promise<number> {
    const rows = await query(
      "select coalesce(max(grown_at), 0) as last from chain union all select coalesce(max(at), 0) from ledger",
      [],
    );
    return Math.max(...rows.map((row) => numberValue(row["last"])));
  },

  async grownSince(ms: number): Promise<{ pid: string; seq: number; hash: Uint8Array }[]> {
    const rows = await query(
      "select pid, seq, hash from chain join process on process.key = chain.process where grown_at >= ? and seq >= 0",
      [ms],
    );
    return rows.map((row) => ({
      pid: textValue(row["pid"]),
      seq: numberValue(row["seq"]),
      hash: row["hash"] as Uint8Array,
    }));
  },

  async spentByTree(key: ProcessKey): Promise<SpendAmounts & SpendOverrun> {
    const [row] = await query(SPENT_BY_TREE, [key]);
    return spentRow(row!);
  },

  async manifest(tenant: TenantKey, hash: string): Promise<string | undefined> {
    const [row] = await query("select body from manifest where tenant = ? and hash = ?", [
      tenant,
      hash,
    ]);
    return row && textValue(row["body"]);
  },

  async core(key: ProcessKey): Promise<string | undefined> {
    const [row] = await query("select body from core where process = ?", [key]);
    return row && textValue(row["body"]);
  },

  async block(id: string): Promise<string | undefined> {
    const [row] = await query("select state from block where id = ?", [id]);
    return row && textValue(row["state"]);
  },

  async signals(key: ProcessKey): Promise<SignalRow[]> {
    const rows = await query("select * from signal where process = ? order by key", [key]);
    return rows.map(signalRow);
  },

  async file(tenant: TenantKey, space: ProcessKey, path: string): Promise<FileRow | undefined> {
    const [row] = await query("select * from file where tenant = ? and space = ? and path = ?", [
      tenant,
      space,
      path,
    ]);
    return row && fileRow(row);
  },

  async allFiles(): Promise<FileRow[]> {
    return (await query("select * from file order by tenant, space, path", [])).map(fileRow);
  },

  async files(of: FileQuery): Promise<FileRow[]> {
    return (await filesBelow(query, "*", of)).map(fileRow);
  },

  async embeddings(
    tenant: TenantKey,
    model: string,
    digests: readonly string[],
  ): Promise<EmbeddingRow[]> {
    if (digests.length === 0) return [];
    const rows = await query(
      `select digest, vector from embedding where tenant = ? and model = ? and digest in (${digests.map(() => "?").join(", ")})`,
      [tenant, model, ...digests],
    );
    return rows.map((row) => ({
      tenant,
      model,
      digest: textValue(row["digest"]),
      vector: textValue(row["vector"]),
    }));
  },

  async fileNames(of: FileQuery): Promise<ListedFile[]> {
    const columns = "tenant, space, path, writer, label, written_at, octet_length(data) as bytes";
    return (await filesBelow(query, columns, of)).map((row) => ({
      ...fileOf(row),
      bytes: numberValue(row["bytes"]),
    }));
  },

  async fileUsage(tenant: TenantKey, under?: string): Promise<FileUsage> {
    const below = under === undefined ? "" : "and path >= ? and path < ?";
    const [row] = await query(
      `select count(*) as files, coalesce(sum(${FILE_BYTES}), 0) as bytes from file
         where tenant = ? and space = 0 ${below}`,
      [tenant, ...(under === undefined ? [] : [`${under}/`, `${under}0`])],
    );
    return fileUsage(row!);
  },

  async fileSize(tenant: TenantKey, space: ProcessKey, path: string): Promise<FileUsage> {
    const [row] = await query(
      `select 1 as files, ${FILE_BYTES} as bytes from file where tenant = ? and space = ? and path = ?`,
      [tenant, space, path],
    );
    return row === undefined ? { files: 0, bytes: 0 } : fileUsage(row);
  },

  async allKeys(): Promise<ProcessKey[]> {
    return (await query("select key from process order by key", [])).map((row) =>
      numberValue(row["key"]),
    );
  },

  async chainEnds(): Promise<StoredEnd[]> {
    const rows = await query(
      `select process.key, pid, root, seq, hash, ended_at from process
         join chain on chain.process = process.key order by process.key`,
      [],
    );
    return rows.map((row) => ({
      key: numberValue(row["key"]),
      pid: textValue(row["pid"]),
      root: numberValue(row["root"]),
      seq: numberValue(row["seq"]),
      hash: row["hash"] as Uint8Array,
      isEnded: row["ended_at"] !== null,
    }));
  },

  async findTenant(name: string): Promise<TenantKey | undefined> {
    const [row] = await query("select id from tenant where name = ?", [name]);
    return row && numberValue(row["id"]);
  },

  async tenantName(key: TenantKey): Promise<string> {
    const [row] = await query("select name from tenant where id = ?", [key]);
    return row === undefined ? "?" : textValue(row["name"]);
  },

  async tenantRows(): Promise<TenantRow[]> {
    const rows = await query("select * from tenant order by id", []);
    return rows.map((row) => ({
      key: numberValue(row["id"]),
      name: textValue(row["name"]),
      ceiling: row["ceiling"] === null ? null : textValue(row["ceiling"]),
      removedAt: row["removed_at"] === null ? null : numberValue(row["removed_at"]),
    }));
  },

  async tenants(): Promise<TenantSum[]> {
    const spent = (unit: string) =>
      `(select coalesce(sum(${unit}), 0) from spend where spend.tenant = tenant.id) as ${unit}`;
    const rows = await query(
      `select id, name, ${["micro_usd", "tokens", "tool_calls"].map(spent).join(", ")} from tenant where removed_at is null order by id`,
      [],
    );
    const counts = await query(
      "select tenant, state, count(*) as count from process group by tenant, state",
      [],
    );
    return rows.map((row) => ({
      key: numberValue(row["id"]),
      name: textValue(row["name"]),
      microUsd: numberValue(row["micro_usd"]),
      tokens: numberValue(row["tokens"]),
      toolCalls: numberValue(row["tool_calls"]),
      states: Object.fromEntries(
        counts
          .filter((one) => numberValue(one["tenant"]) === numberValue(row["id"]))
          .map((one) => [textValue(one["state"]), numberValue(one["count"])]),
      ),
    }));
  },
});

const FILE_BYTES = "octet_length(path) + octet_length(data)";

const fileUsage = (row: Row): FileUsage => ({
  files: numberValue(row["files"]),
  bytes: numberValue(row["bytes"]),
});

function filesBelow(
  query: RunQuery,
  columns: string,
  { tenant, space, under, after, since, limit }: FileQuery,
): Promise<Row[]> {
  const later = since === undefined ? "" : "and written_at >= ?";
  return query(
    `select ${columns} from file where tenant = ? and space = ? and path >= ? and path < ? and path > ? ${later}
       order by path limit ?`,
    // "0" is the character after "/"
    [
      tenant,
      space,
      `${under}/`,
      `${under}0`,
      after ?? "",
      ...(since === undefined ? [] : [since]),
      limit,
    ],
  );
}

/** The queries of the contract, asked through `query`. */
export const sharedReads = (query: RunQuery) => ({
  ...questionReads(query),
  ...authorityReads(query),
  ...spendReads(query),
  ...mailReads(query),
  ...scheduleReads(query),
  ...fleetReads(query),
  ...postReads(query),
  ...blobReads(query),
  ...erasureReads(query),
  ...processReads(query),
  ...chainReads(query),
});
