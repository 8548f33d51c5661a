// PostgresStore: the shared store, for many nodes on one PostgreSQL.
//
// POSTGRES-STORE-1  A commit is acknowledged when the server has it on its disk.
// POSTGRES-STORE-2  A chain's end is locked from the look at its epoch to the end of the commit: a
//     takeover comes wholly before it, and then it is refused, or wholly after it, and then it sees its
//     records.
// POSTGRES-STORE-3  Hints between nodes may be lost; rows are not.

import type { CommitResult, Extension, Store, Write, WrittenRow } from "../contract.ts";
import { LEFT, LEFT_AT_BOOT, claimStatement, TO_LOAD } from "../claim.ts";
import type { Row } from "../row-values.ts";
import { Reads } from "../reads.ts";
import { recordPage, readAhead, type RecordPage } from "../record-pages.ts";
import type { RemovalRow } from "../queries.ts";
import type { ProcessKey, RecordRow, TenantKey } from "../rows.ts";
import type { StateSpan } from "../queries.ts";
import { firstWanted, storedProcess } from "../stored-process.ts";
import type { StoredRows } from "../stored-process.ts";
import type { LoadQuery, StoredProcess } from "../queries.ts";
import { storeFailure } from "../store-failure.ts";
import { wholeNumber, type SqlValue } from "../writes.ts";
import { CommitQueue } from "./commit-queue.ts";
import { CommitPipeline } from "./commit-pipeline.ts";
import { clientOf, Clients, databaseName } from "./connection.ts";
import {
  compactPostgresRuns,
  dropPostgresStates,
  RECORD_TEXTS,
  RECORDS,
  removePostgresRuns,
  UNREACHED,
} from "./history.ts";
import { migrate } from "./migration.ts";
import { STORED } from "./stored.ts";
import { NOTIFY, payloads, WakeChannel } from "./wake-channel.ts";

const BLOBS_AT_ONCE = 100;

export class PostgresStore extends Reads implements Store {
  readonly kind = "postgres";
  readonly commitsAhead = 2;
  readonly name: string;
  readonly #clients: Clients;
  readonly #commits: CommitQueue;
  readonly #wakes: WakeChannel;
  /** The nodes that this boot has claimed for; what they held before is an earlier boot's. */
  readonly #claimed = new Set<string>();
  /** Of which other nodes are about to be told. */
  readonly #toTell = new Set<ProcessKey>();
  #telling: Promise<void> | undefined;

  private constructor(url: string, name: string) {
    super();
    this.name = name;
    this.#clients = new Clients(url, name);
    this.#wakes = new WakeChannel(url, () => this.#waiting());
    const pipeline = new CommitPipeline(url, name, this.#wakes.sender);
    this.#commits = new CommitQueue(this.#clients, pipeline);
  }

  static async open(
    url: string,
    onMigrate: (what: string) => void = () => {},
  ): Promise<PostgresStore> {
    const name = databaseName(url);
    try {
      const client = clientOf(url);
      client.on("error", () => {}); // the statement under way says it too
      try {
        await client.connect();
        await migrate(client, name, onMigrate);
      } finally {
        await client.end().catch(() => {});
      }
      return new PostgresStore(url, name);
    } catch (error) {
      throw storeFailure(error, name);
    }
  }

  async close(): Promise<void> {
    await this.#wakes.close();
    await this.#commits.close();
    await this.#clients.close();
  }

  commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult> {
    return this.#commits.commit(extensions, writes);
  }

  async records(
    key: ProcessKey,
    { after = -1, upTo = Number.MAX_SAFE_INTEGER } = {},
  ): Promise<RecordRow[]> {
    const rows = await this.query(RECORDS, [key, after, Math.min(upTo, Number.MAX_SAFE_INTEGER)]);
    return rows.map((row) => ({
      process: Number(row["process"]),
      tenant: Number(row["tenant"]),
      seq: Number(row["seq"]),
      text: row["record"] as string,
      hash: row["hash"] as Uint8Array,
    }));
  }

  async *recordPages(key: ProcessKey): AsyncGenerator<RecordPage> {
    const { seq = -1 } = (await this.chain(key)) ?? {};
    yield* readAhead(key, seq, async (first, count) =>
      recordPage(first, await this.#clients.prepared(RECORDS, [key, first - 1, first + count - 1])),
    );
  }

  async stored(key: ProcessKey, query: LoadQuery): Promise<StoredProcess | undefined> {
    const [row] = await this.#clients.prepared(STORED, [key, key]);
    if (row === undefined) return undefined;
    const rows = row as unknown as Omit<StoredRows, "first" | "texts">;
    const first = firstWanted(rows.head, query);
    const last = Number(rows.head["seq"]); // STORED-PROCESS-1: what has come since is behind it
    const found =
      first > last ? [] : await this.#clients.prepared(RECORD_TEXTS, [key, first - 1, last]);
    const texts = found.map(({ record }) => record as string);
    return storedProcess({ ...rows, first, texts });
  }

  async reserveKeys(count: number): Promise<number> {
    const [row] = await this.query(
      "update counter set next = next + ? where name = 'key' returning next",
      [count],
    );
    return Number(row!["next"]) - count;
  }

  async tenantKey(name: string): Promise<TenantKey> {
    for (;;) {
      const [row] = await this.query("select id from tenant where name = ?", [name]);
      if (row !== undefined) return Number(row["id"]);
      // Another node may take this number or add this name first: then nothing happens, and we look again.
      await this.query(
        "insert into tenant (id, name) select max(id) + 1, ? from tenant on conflict do nothing",
        [name],
      );
    }
  }

  async renewNode(node: string, untilMs: number, isAlone = false): Promise<void> {
    await this.query(
      `insert into node values (?, 0, ?, ?) on conflict (name) do update
         set expires_at = excluded.expires_at, alone = excluded.alone`,
      [node, untilMs, isAlone ? 1 : 0],
    );
  }

  async dropNode(node: string): Promise<void> {
    await this.query("delete from node where name = ?", [node]);
  }

  async claim(node: string, nowMs: number): Promise<ProcessKey[]> {
    const atBoot = !this.#claimed.has(node);
    const now = wholeNumber(nowMs);
    const toLoad = await this.#clients.transaction(async (run) => {
      const [whose, ofWhom] = atBoot ? [LEFT_AT_BOOT, [node, now]] : [LEFT, [now]];
      // Locked first and then looked at again: what another node took meanwhile is no longer left.
      await run(
        `select process from chain where process in (${whose}) order by process for no key update`,
        ofWhom,
      );
      const rows = await run(`${claimStatement(whose)} returning process`, [node, ...ofWhom]);
      const taken = new Set(rows.map((row) => Number(row["process"])));
      if (taken.size === 0) return [];
      return keysOf(await run(TO_LOAD, [node, node])).filter((key) => taken.has(key));
    });
    this.#claimed.add(node);
    return toLoad;
  }

  async compact(keys: readonly ProcessKey[]): Promise<{ records: number }> {
    return { records: await this.#clients.transaction((run) => compactPostgresRuns(run, keys)) };
  }

  async remove(row: RemovalRow, keys: readonly ProcessKey[]): Promise<boolean> {
    return this.#clients.transaction((run) => removePostgresRuns(run, row, keys));
  }

  async dropStates(span: StateSpan): Promise<number> {
    return this.#clients.transaction((run) => dropPostgresStates(run, span));
  }

  /** The server looks after its pages itself. */
  async quickCheck(): Promise<undefined> {
    return undefined;
  }

  async shrink(): Promise<void> {
    await this.query("vacuum journal, blob, blob_use, message, file, process, chain, spend", []);
  }

  async *blobs(): AsyncGenerator<{ digest: string; body: string | undefined }> {
    let last: readonly SqlValue[] = [0, ""];
    for (;;) {
      const rows = await this.query(
        "select * from blob where (tenant, digest) > (?, ?) order by tenant, digest limit ?",
        [...last, BLOBS_AT_ONCE],
      );
      for (const row of rows) yield* this.#checked(row);
      if (rows.length < BLOBS_AT_ONCE) return;
      last = [rows.at(-1)!["tenant"]!, rows.at(-1)!["digest"]!];
    }
  }

  /** What was compacted since its row was read is not there, and nothing is wrong with it. */
  async *#checked(row: Row): AsyncGenerator<{ digest: string; body: string | undefined }> {
    const digest = row["digest"] as string;
    const body = await this.wholeBody(row);
    const isThere = async () => {
      const found = "select 1 from blob where tenant = ? and digest = ?";
      return (await this.query(found, [row["tenant"] as number, digest])).length > 0;
    };
    if (body !== undefined || (await isThere())) yield { digest, body };
  }

  async placeOf(key: ProcessKey, seq: number): Promise<number | undefined> {
    const [row] = await this.query("select place from journal where process = ? and seq = ?", [
      key,
      seq,
    ]);
    return row === undefined ? undefined : Number(row["place"]);
  }

  async writtenAfter(place: number, limit: number): Promise<WrittenRow[]> {
    const rows = await this.query(
      "select place, process, record from journal where place > ? order by place limit ?",
      [place, limit],
    );
    return rows.map((row) => ({
      place: Number(row["place"]),
      process: Number(row["process"]),
      text: row["record"] as string,
    }));
  }

  async unreached(): Promise<{ process: ProcessKey; text: string }[]> {
    const rows = await this.query(UNREACHED, []);
    return rows.map((row) => ({ process: Number(row["process"]), text: row["record"] as string }));
  }

  /** What one commit has for many processes is told in one statement. */
  async notify(keys: readonly ProcessKey[]): Promise<void> {
    if (keys.length === 0) return this.#tell(keys);
    for (const key of keys) this.#toTell.add(key);
    await (this.#telling ??= Promise.resolve().then(() => this.#tellAll()));
  }

  async #tellAll(): Promise<void> {
    const keys = [...this.#toTell];
    this.#toTell.clear();
    this.#telling = undefined;
    await this.#tell(keys);
  }

  async #tell(keys: readonly ProcessKey[]): Promise<void> {
    for (const payload of payloads(this.#wakes.sender, keys)) await this.query(NOTIFY, [payload]);
  }

  async listen(onWake: (keys: readonly ProcessKey[]) => void): Promise<void> {
    try {
      await this.#wakes.listen(onWake);
    } catch (error) {
      throw storeFailure(error, this.name);
    }
  }

  protected query(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#clients.query(sql, values);
  }

  /** Whatever our nodes hold and should be doing. */
  async #waiting(): Promise<ProcessKey[]> {
    const found: ProcessKey[] = [];
    for (const node of this.#claimed)
      found.push(...keysOf(await this.query(TO_LOAD, [node, node])));
    return found;
  }
}

const keysOf = (rows: readonly Row[]): ProcessKey[] => rows.map((row) => Number(row["key"]));
