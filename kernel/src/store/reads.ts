// Reads: the queries that both databases answer in the same words.

import type { FailureText, Json, Lane, ProcessState, SignalName, WaitKind } from "@aos/protocol";
import { number, orNull, text, type Row } from "./authority-reads.ts";
import { MAY_COMPACT } from "./compaction.ts";
import { BlobReads } from "./blob-reads.ts";
import type { FinishedRun, ProcessQuery, StoredEnd, TenantSum } from "./contract.ts";
import type {
  ChainRow,
  FileRow,
  ListedProcess,
  ProcessKey,
  ProcessRow,
  ProcessSpec,
  SignalRow,
  TenantKey,
  TenantRow,
} from "./rows.ts";
import type { Owed, Spent } from "./spend.ts";
import type { Value } from "./writes.ts";

const processRow = (row: Row): ProcessRow => ({
  ...listedProcess(row),
  output: orNull(row["output"], (value) => JSON.parse(value as string) as Json),
});

/** The columns of a list: neither read nor parsed is what it does not show. */
const LISTED = `key, tenant, pid, agent, parent, parent_pid, root, depth, state, waiting_on, wake_at, base, label,
  exit_code, started_at, ended_at, spec, error, compacted, lane, begun_at`;

function listedProcess(row: Row): ListedProcess {
  return {
    key: number(row["key"]),
    tenant: number(row["tenant"]),
    pid: text(row["pid"]),
    agent: text(row["agent"]),
    parent: orNull(row["parent"], Number),
    parentPid: orNull(row["parent_pid"], String),
    root: number(row["root"]),
    depth: number(row["depth"]),
    state: text(row["state"]) as ProcessState,
    waitingOn: orNull(row["waiting_on"], String) as WaitKind | null,
    wakeAt: orNull(row["wake_at"], Number),
    base: number(row["base"]),
    label: orNull(row["label"], String),
    exitCode: orNull(row["exit_code"], Number),
    startedAt: number(row["started_at"]),
    endedAt: orNull(row["ended_at"], Number),
    spec: JSON.parse(text(row["spec"])) as ProcessSpec,
    error: orNull(row["error"], (value) => JSON.parse(value as string) as FailureText),
    compacted: number(row["compacted"]) === 1,
    lane: orNull(row["lane"], String) as Lane | null,
    begunAt: orNull(row["begun_at"], Number),
    microUsd: number(row["micro_usd"] ?? 0),
  };
}

const fileRow = (row: Row): FileRow => ({
  tenant: number(row["tenant"]),
  space: number(row["space"]),
  path: text(row["path"]),
  data: text(row["data"]),
  writer: text(row["writer"]),
  label: text(row["label"]),
  writtenAt: number(row["written_at"]),
});

/** What goes with the history of a process and is not in its records: large values, and its own files. */
const BESIDE_RECORDS = `
  coalesce((select sum(octet_length(body)) from blob_use
    join blob on blob.tenant = blob_use.tenant and blob.digest = blob_use.digest
    where blob_use.process = process.key), 0)
  + coalesce((select sum(octet_length(data)) from file
    where file.tenant = process.tenant and space = process.key), 0)`;

/** Those that nobody has in memory, or need not have. */
const AT_REST = "state in ('waiting', 'pending', 'paused')";

/** The questions of the contract, asked through `query`. */
export abstract class Reads extends BlobReads {
  async process(pid: string): Promise<ProcessRow | undefined> {
    const rows = await this.query("select * from process where pid = ?", [pid]);
    return rows[0] && processRow(rows[0]);
  }

  async processByKey(key: ProcessKey): Promise<ProcessRow | undefined> {
    const rows = await this.query("select * from process where key = ?", [key]);
    return rows[0] && processRow(rows[0]);
  }

  async processes(query: ProcessQuery): Promise<ListedProcess[]> {
    const tests: string[] = [];
    const values: Value[] = [];
    const test = (sql: string, ...more: Value[]) => {
      tests.push(sql);
      values.push(...more);
    };
    if (query.tenant !== undefined) test("tenant = ?", query.tenant);
    if (query.states !== undefined)
      test(`state in (${query.states.map(() => "?").join(", ")})`, ...query.states);
    if (query.node !== undefined)
      test(
        "exists (select 1 from chain where chain.process = process.key and node = ?)",
        query.node,
      );
    if (query.parent !== undefined) test("parent = ?", query.parent);
    if (query.root !== undefined) test("root = ?", query.root);
    if (query.before !== undefined) test("pid < ?", query.before);
    if (query.prefix !== undefined) test("pid >= ? and pid < ?", query.prefix, `${query.prefix}~`);
    const where = tests.length === 0 ? "" : `where ${tests.join(" and ")}`;
    const rows = await this.query(
      `select ${LISTED}, (select micro_usd from chain where chain.process = process.key) as micro_usd
         from process ${where} order by pid desc limit ?`,
      [...values, query.limit ?? 1000],
    );
    return rows.map(listedProcess);
  }

  async livingChildren(key: ProcessKey): Promise<ProcessRow[]> {
    const rows = await this.query("select * from process where parent = ? and ended_at is null", [
      key,
    ]);
    return rows.map(processRow);
  }

  async countByState(tenant?: TenantKey): Promise<Partial<Record<ProcessState, number>>> {
    const rows = await this.query(
      `select state, count(*) as count from process
       ${tenant === undefined ? "" : "where tenant = ?"} group by state`,
      tenant === undefined ? [] : [tenant],
    );
    return Object.fromEntries(rows.map((row) => [text(row["state"]), number(row["count"])]));
  }

  async countTree(root: ProcessKey): Promise<number> {
    const rows = await this.query(
      "select count(*) as count from process where root = ? and ended_at is null",
      [root],
    );
    return number(rows[0]!["count"]);
  }

  async chain(key: ProcessKey): Promise<ChainRow | undefined> {
    const [row] = await this.query("select * from chain where process = ?", [key]);
    if (row === undefined) return undefined;
    return {
      process: key,
      node: text(row["node"]),
      epoch: number(row["epoch"]),
      seq: number(row["seq"]),
      hash: row["hash"] as Uint8Array,
      microUsd: number(row["micro_usd"]),
      tokens: number(row["tokens"]),
      toolCalls: number(row["tool_calls"]),
      overMicroUsd: number(row["over_micro_usd"]),
      overTokens: number(row["over_tokens"]),
      formerUsd: number(row["usd"]),
    };
  }

  async lastGrownAt(): Promise<number> {
    const [row] = await this.query("select coalesce(max(grown_at), 0) as last from chain", []);
    return number(row!["last"]);
  }

  async grownSince(ms: number): Promise<{ pid: string; seq: number; hash: Uint8Array }[]> {
    const rows = await this.query(
      "select pid, seq, hash from chain join process on process.key = chain.process where grown_at >= ? and seq >= 0",
      [ms],
    );
    return rows.map((row) => ({
      pid: text(row["pid"]),
      seq: number(row["seq"]),
      hash: row["hash"] as Uint8Array,
    }));
  }

  async spentByTree(key: ProcessKey): Promise<Spent & Owed> {
    const [row] = await this.query(
      `with recursive below (key) as (
         select cast(? as bigint) union all select process.key from process join below on process.parent = below.key)
       select coalesce(sum(micro_usd), 0) as micro_usd, coalesce(sum(tokens), 0) as tokens, coalesce(sum(tool_calls), 0) as calls,
           coalesce(sum(over_micro_usd), 0) as over_micro_usd, coalesce(sum(over_tokens), 0) as over_tokens
         from below cross join chain where chain.process = below.key`,
      [key],
    );
    return {
      microUsd: number(row!["micro_usd"]),
      tokens: number(row!["tokens"]),
      toolCalls: number(row!["calls"]),
      overMicroUsd: number(row!["over_micro_usd"]),
      overTokens: number(row!["over_tokens"]),
    };
  }

  async manifest(tenant: TenantKey, hash: string): Promise<string | undefined> {
    const [row] = await this.query("select body from manifest where tenant = ? and hash = ?", [
      tenant,
      hash,
    ]);
    return row && text(row["body"]);
  }

  async core(key: ProcessKey): Promise<string | undefined> {
    const [row] = await this.query("select body from core where process = ?", [key]);
    return row && text(row["body"]);
  }

  async block(id: string): Promise<string | undefined> {
    const [row] = await this.query("select state from block where id = ?", [id]);
    return row && text(row["state"]);
  }

  async signals(key: ProcessKey): Promise<SignalRow[]> {
    const rows = await this.query("select * from signal where process = ? order by key", [key]);
    return rows.map((row) => ({
      key: number(row["key"]),
      tenant: number(row["tenant"]),
      process: key,
      signal: text(row["signal"]) as SignalName,
      cause: text(row["cause"]),
      sentAt: number(row["sent_at"]),
    }));
  }

  async file(tenant: TenantKey, space: ProcessKey, path: string): Promise<FileRow | undefined> {
    const [row] = await this.query(
      "select * from file where tenant = ? and space = ? and path = ?",
      [tenant, space, path],
    );
    return row && fileRow(row);
  }

  async allFiles(): Promise<FileRow[]> {
    return (await this.query("select * from file order by tenant, space, path", [])).map(fileRow);
  }

  async files(tenant: TenantKey, space: ProcessKey, under: string): Promise<FileRow[]> {
    const rows = await this.query(
      "select * from file where tenant = ? and space = ? and path >= ? and path < ? order by path",
      [tenant, space, `${under}/`, `${under}0`], // "0" is the character after "/"
    );
    return rows.map(fileRow);
  }

  async finished(): Promise<FinishedRun[]> {
    const rows = await this.query(
      `select key, pid, ended_at, seq, bytes + ${BESIDE_RECORDS} as bytes
         from process join chain on chain.process = process.key
         where ${MAY_COMPACT} order by ended_at, key`,
      [],
    );
    return rows.map((row) => ({
      key: number(row["key"]),
      pid: text(row["pid"]),
      endedAt: number(row["ended_at"]),
      records: number(row["seq"]) + 1,
      bytes: number(row["bytes"]),
    }));
  }

  async allKeys(): Promise<ProcessKey[]> {
    return (await this.query("select key from process order by key", [])).map((row) =>
      number(row["key"]),
    );
  }

  async chainEnds(): Promise<StoredEnd[]> {
    const rows = await this.query(
      `select process.key, pid, root, seq, hash, ended_at from process
         join chain on chain.process = process.key order by process.key`,
      [],
    );
    return rows.map((row) => ({
      key: number(row["key"]),
      pid: text(row["pid"]),
      root: number(row["root"]),
      seq: number(row["seq"]),
      hash: row["hash"] as Uint8Array,
      isEnded: row["ended_at"] !== null,
    }));
  }

  async findTenant(name: string): Promise<TenantKey | undefined> {
    const [row] = await this.query("select id from tenant where name = ?", [name]);
    return row && number(row["id"]);
  }

  async tenantName(key: TenantKey): Promise<string> {
    const [row] = await this.query("select name from tenant where id = ?", [key]);
    return row === undefined ? "?" : text(row["name"]);
  }

  async tenantRows(): Promise<TenantRow[]> {
    const rows = await this.query("select * from tenant order by id", []);
    return rows.map((row) => ({
      key: number(row["id"]),
      name: text(row["name"]),
      ceiling: row["ceiling"] === null ? null : text(row["ceiling"]),
      removedAt: row["removed_at"] === null ? null : number(row["removed_at"]),
    }));
  }

  async tenants(): Promise<TenantSum[]> {
    const spent = (unit: string) =>
      `(select coalesce(sum(${unit}), 0) from spend where spend.tenant = tenant.id) as ${unit}`;
    const rows = await this.query(
      `select id, name, ${["micro_usd", "tokens", "tool_calls"].map(spent).join(", ")} from tenant where removed_at is null order by id`,
      [],
    );
    const counts = await this.query(
      "select tenant, state, count(*) as count from process group by tenant, state",
      [],
    );
    return rows.map((row) => ({
      key: number(row["id"]),
      name: text(row["name"]),
      microUsd: number(row["micro_usd"]),
      tokens: number(row["tokens"]),
      toolCalls: number(row["tool_calls"]),
      states: Object.fromEntries(
        counts
          .filter((one) => number(one["tenant"]) === number(row["id"]))
          .map((one) => [text(one["state"]), number(one["count"])]),
      ),
    }));
  }

  async orphans(node: string): Promise<ProcessKey[]> {
    const rows = await this.query(
      `select process.key as key from process join chain on chain.process = process.key
           join process above on above.key = process.parent
         where node = ? and process.ended_at is null and above.ended_at is not null`,
      [node],
    );
    return rows.map((row) => number(row["key"]));
  }

  async due(node: string, nowMs: number): Promise<{ due: ProcessKey[]; nextAt: number | null }> {
    const due = await this.query(
      `select key from process join chain on chain.process = process.key
         where node = ? and ${AT_REST} and wake_at is not null and wake_at <= ? order by wake_at limit 1000`,
      [node, nowMs],
    );
    const [next] = await this.query(
      `select min(wake_at) as next from process join chain on chain.process = process.key
         where node = ? and ${AT_REST} and wake_at is not null and wake_at > ?`,
      [node, nowMs],
    );
    return { due: due.map((row) => number(row["key"])), nextAt: orNull(next?.["next"], Number) };
  }
}
