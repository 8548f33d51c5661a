// The shared store, for many nodes on one PostgreSQL: connections, what writes through them, and what reads.
//
// POSTGRES-STORE-1  A commit is acknowledged when the server has it on its disk.
// POSTGRES-STORE-2  A chain's end is locked from the look at its epoch to the end of the commit: a
//     takeover comes wholly before it, and then it is refused, or wholly after it, and then it sees its
//     records.
// POSTGRES-STORE-3  Hints between nodes may be lost; rows are not.

import type { HintBroker } from "@aos/protocol";
import type { OpenedStore } from "../mail-reports.ts";
import { wholeBody } from "../blob-reads.ts";
import { DUE, LEFT, LEFT_AT_BOOT, claimStatement, TO_LOAD } from "../claim.ts";
import type { Row, RunQuery } from "../row-values.ts";
import { sharedReads } from "../reads.ts";
import { hasWords, recordPage, readAhead } from "../record-pages.ts";
import type { ProcessKey } from "../rows.ts";
import { firstWanted, storedProcess } from "../stored-process.ts";
import type { StoredRows } from "../stored-process.ts";
import { storeFailure } from "../store-failure.ts";
import { wholeNumber, type SqlValue } from "../writes.ts";
import { backUpPostgres } from "../copy/postgres-backup.ts";
import { CommitQueue } from "./commit-queue.ts";
import { CommitPipeline } from "./commit-pipeline.ts";
import { clientOf, Clients, databaseName } from "./connection.ts";
import {
  compactPostgresRuns,
  dropPostgresStates,
  RECORD_TEXTS,
  RECORDS,
  removeFinishedPostgresRuns,
  removePostgresRuns,
  UNREACHED,
} from "./history.ts";
import { erasePostgres } from "./erase.ts";
import { migrate } from "./migration.ts";
import { STORED } from "./stored.ts";
import { NOTIFY, payloads, WakeChannel } from "./wake-channel.ts";

const BLOBS_AT_ONCE = 100;

export async function openPostgresStore(
  url: string,
  onMigrate: (what: string) => void = () => {},
  hints?: HintBroker,
): Promise<OpenedStore> {
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
  } catch (error) {
    throw storeFailure(error, name);
  }
  return storeOver(url, name, hints);
}

function storeOver(url: string, name: string, hints: HintBroker | undefined): OpenedStore {
  const clients = new Clients(url, name);
  const query: RunQuery = (sql, values) => clients.query(sql, values);
  const { toLoad, arrivals, ...nodes } = nodeRows(clients, query);
  const wakes = new WakeChannel(url, { missed: toLoad, due: arrivals }, hints);
  const pipeline = new CommitPipeline(url, name, wakes.sender);
  const commits = new CommitQueue(clients, pipeline);
  return {
    kind: "postgres",
    name,
    commitsAhead: 2,
    ...sharedReads(query),
    ...recordRows(clients, query),
    ...blobRows(query),
    ...nodes,
    ...retentionOf(clients, query),
    notify: notifying(query, wakes),
    commit: (extensions, writes) => commits.commit(extensions, writes),
    backUp: (sink, scratch) => backUpPostgres(url, sink, scratch),
    async close() {
      await wakes.close();
      await commits.close();
      await clients.close();
    },
    async listen(onWake) {
      try {
        await wakes.listen(onWake);
      } catch (error) {
        throw storeFailure(error, name);
      }
    },
    /** The server looks after its pages itself. */
    quickCheck: async () => undefined,
  };
}

const recordRows = (clients: Clients, query: RunQuery) =>
  ({
    async records(key, { after = -1, upTo = Number.MAX_SAFE_INTEGER } = {}) {
      const rows = await query(RECORDS, [key, after, Math.min(upTo, Number.MAX_SAFE_INTEGER)]);
      return rows.map((row) => ({
        process: Number(row["process"]),
        tenant: Number(row["tenant"]),
        seq: Number(row["seq"]),
        text: row["record"] as string,
        hash: row["hash"] as Uint8Array,
      }));
    },
    async *recordPages(key) {
      const [end] = await query("select seq from chain where process = ?", [key]);
      yield* readAhead(key, Number(end?.["seq"] ?? -1), async (first, count) =>
        recordPage(first, await clients.prepared(RECORDS, [key, first - 1, first + count - 1])),
      );
    },
    async stored(key, wanted) {
      const [row] = await clients.prepared(STORED, [key, key]);
      if (row === undefined) return undefined;
      const rows = row as unknown as Omit<StoredRows, "first" | "texts">;
      const first = firstWanted(rows.head, wanted);
      const last = Number(rows.head["seq"]); // STORED-PROCESS-1: what has come since is behind it
      const found =
        first > last ? [] : await clients.prepared(RECORD_TEXTS, [key, first - 1, last]);
      const texts = found.map(({ record }) => record as string);
      return storedProcess({ ...rows, first, texts });
    },
    async placeOf(key, seq) {
      const sql = "select place from journal where process = ? and seq = ?";
      const [row] = await query(sql, [key, seq]);
      return row === undefined ? undefined : Number(row["place"]);
    },
    async writtenAfter(place, limit) {
      const rows = await query(
        "select place, process, record from journal where place > ? order by place limit ?",
        [place, limit],
      );
      return rows.map((row) => ({ place: Number(row["place"]), ...recordOf(row) }));
    },
    async lastPlace() {
      const [row] = await query("select coalesce(max(place), 0) as place from journal", []);
      return Number(row?.["place"]);
    },
    async recordsWith({ tenant, after, upTo, words }) {
      const has = hasWords(words, "position(?::text in record) > 0");
      const rows = await query(
        `select place, process, record from journal
           where place > ? and place <= ? and tenant = ? and (${has}) order by place desc`,
        [after, upTo, tenant, ...words.flat()],
      );
      return rows.map((row) => ({ place: Number(row["place"]), ...recordOf(row) }));
    },
    async unreached() {
      return (await query(UNREACHED, [])).map(recordOf);
    },
  }) satisfies Partial<OpenedStore>;

const recordOf = (row: Row) => ({
  process: Number(row["process"]),
  text: row["record"] as string,
});

const blobRows = (query: RunQuery) =>
  ({
    async *blobs() {
      let last: readonly SqlValue[] = [0, ""];
      for (;;) {
        const rows = await query(
          "select * from blob where (tenant, digest) > (?, ?) order by tenant, digest limit ?",
          [...last, BLOBS_AT_ONCE],
        );
        for (const row of rows) yield* checkedBlob(query, row);
        if (rows.length < BLOBS_AT_ONCE) return;
        last = [rows.at(-1)!["tenant"]!, rows.at(-1)!["digest"]!];
      }
    },
  }) satisfies Partial<OpenedStore>;

/** What was compacted since its row was read is not there, and nothing is wrong with it. */
async function* checkedBlob(query: RunQuery, row: Row) {
  const digest = row["digest"] as string;
  const body = await wholeBody(query, row);
  const isThere = async () => {
    const found = "select 1 from blob where tenant = ? and digest = ?";
    return (await query(found, [row["tenant"] as number, digest])).length > 0;
  };
  if (body !== undefined || (await isThere())) yield { digest, body };
}

function nodeRows(clients: Clients, query: RunQuery) {
  /** The nodes that this boot has claimed for; what they held before is an earlier boot's. */
  const claimed = new Set<string>();
  const heldBy = async (sql: string): Promise<ProcessKey[]> => {
    const found: ProcessKey[] = [];
    for (const node of claimed) found.push(...keysOf(await query(sql, [node, node])));
    return found;
  };
  return {
    /** Whatever our nodes hold and should be doing. */
    toLoad: () => heldBy(TO_LOAD),
    /** What of that somebody may not have told of. */
    arrivals: () => heldBy(DUE),
    async claim(node, nowMs) {
      const atBoot = !claimed.has(node);
      const now = wholeNumber(nowMs);
      const taken = await clients.transaction(async (run) => {
        const [whose, ofWhom] = atBoot ? [LEFT_AT_BOOT, [node, now]] : [LEFT, [now]];
        // Locked first and then looked at again: what another node took meanwhile is no longer left.
        await run(
          `select process from chain where process in (${whose}) order by process for no key update`,
          ofWhom,
        );
        const rows = await run(`${claimStatement(whose)} returning process`, [node, ...ofWhom]);
        const ours = new Set(rows.map((row) => Number(row["process"])));
        if (ours.size === 0) return [];
        return keysOf(await run(TO_LOAD, [node, node])).filter((key) => ours.has(key));
      });
      claimed.add(node);
      return taken;
    },
    async renewNode(node, untilMs, isAlone = false) {
      await query(
        `insert into node values (?, 0, ?, ?) on conflict (name) do update
         set expires_at = excluded.expires_at, alone = excluded.alone`,
        [node, untilMs, isAlone ? 1 : 0],
      );
    },
    async dropNode(node) {
      await query("delete from node where name = ?", [node]);
    },
    async reserveKeys(count) {
      const [row] = await query(
        "update counter set next = next + ? where name = 'key' returning next",
        [count],
      );
      return Number(row!["next"]) - count;
    },
    async tenantKey(name) {
      for (;;) {
        const [row] = await query("select id from tenant where name = ?", [name]);
        if (row !== undefined) return Number(row["id"]);
        // Another node may take this number or add this name first: then nothing happens, and we look again.
        await query(
          "insert into tenant (id, name) select max(id) + 1, ? from tenant on conflict do nothing",
          [name],
        );
      }
    },
  } satisfies Partial<OpenedStore> & { toLoad: unknown; arrivals: unknown };
}

const retentionOf = (clients: Clients, query: RunQuery) =>
  ({
    compact: async (keys) => ({
      records: await clients.transaction((run) => compactPostgresRuns(run, keys)),
    }),
    remove: (row, keys) => clients.transaction((run) => removePostgresRuns(run, row, keys)),
    removeFinished: (row, keys) =>
      clients.transaction((run) => removeFinishedPostgresRuns(run, row, keys)),
    erase: (batch) => clients.transaction((run) => erasePostgres(run, batch)),
    dropStates: (span) => clients.transaction((run) => dropPostgresStates(run, span)),
    async shrink() {
      await query("vacuum journal, blob, blob_use, message, file, process, chain, spend", []);
    },
  }) satisfies Partial<OpenedStore>;

/** What one commit has for many processes is told in one statement. */
function notifying(query: RunQuery, wakes: WakeChannel): OpenedStore["notify"] {
  const toTell = new Set<ProcessKey>();
  let telling: Promise<void> | undefined;
  const tell = async (keys: readonly ProcessKey[]) => {
    for (const payload of payloads(wakes.sender, keys))
      if (!wakes.tell(payload)) await query(NOTIFY, [payload]);
  };
  const tellAll = () => {
    const keys = [...toTell];
    toTell.clear();
    telling = undefined;
    return tell(keys);
  };
  return async (keys) => {
    if (keys.length === 0) return tell(keys);
    for (const key of keys) toTell.add(key);
    await (telling ??= Promise.resolve().then(tellAll));
  };
}

const keysOf = (rows: readonly Row[]): ProcessKey[] => rows.map((row) => Number(row["key"]));
