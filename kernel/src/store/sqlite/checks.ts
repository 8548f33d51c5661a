// Checks of SQLite: its pages, every blob, records that no chain leads to, and the space that was freed.

import type { DatabaseSync } from "node:sqlite";
import { wholeBody } from "../blob-reads.ts";
import type { Row, RunQuery } from "../row-values.ts";
import type { ProcessKey } from "../rows.ts";
import type { SqliteConnection } from "./connection.ts";
import { WALK } from "./history.ts";

export interface BlobRow {
  readonly place: number;
  readonly digest: string;
  readonly body: string | undefined;
}

/** All blobs, a page at a time: together they may be larger than memory. */
export async function* pagesOf(
  pageAfter: (place: number) => Promise<BlobRow[]>,
): AsyncGenerator<BlobRow> {
  for (let after = 0; ;) {
    const page = await pageAfter(after);
    yield* page;
    if (page.length === 0) return;
    after = page.at(-1)!.place;
  }
}

/** A database of more pages than this is rewritten by way of a file. */
const MAX_PAGES_IN_MEMORY = 4096;

export function sqliteChecks(connection: SqliteConnection, query: RunQuery) {
  const { db } = connection;

  async function blobPage(after: number): Promise<BlobRow[]> {
    const rows = connection
      .statement(
        "select rowid as place, tenant, digest, body, in_parts from blob where rowid > ? order by rowid limit 100",
      )
      .all(after);
    const page: BlobRow[] = [];
    for (const row of rows)
      page.push({
        place: Number(row["place"]),
        digest: row["digest"] as string,
        body: await wholeBody(query, row as Row),
      });
    return page;
  }

  return {
    blobPage,
    async *blobs(): AsyncGenerator<{ digest: string; body: string | undefined }> {
      yield* pagesOf((after) => blobPage(after));
    },
    async quickCheck(maxBytes: number): Promise<string[] | undefined> {
      const size = (pragma: string) => Number(Object.values(db.prepare(pragma).get()!)[0]);
      if (size("pragma page_count") * size("pragma page_size") > maxBytes) return undefined;
      try {
        const said = db.prepare("pragma quick_check(20)").all();
        return said.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
      } catch (error) {
        return [(error as Error).message];
      }
    },
    async unreached(): Promise<{ process: ProcessKey; text: string }[]> {
      db.exec("drop table if exists temp.reached"); // of a check that failed
      db.exec("create temp table reached (pos integer primary key)");
      const reach = `insert or ignore into reached select pos from (${WALK} select pos from walk)`;
      for (const { key } of await query("select key from process order by key", []))
        connection.statement(reach).run(key!);
      const rows = connection
        .statement(
          `select process, record from journal where pos not in (select pos from reached)
         or (prev <> 0 and record like '{"kind":"start",%')`, // a first record that something comes before
        )
        .all();
      connection.forgetStatements();
      db.exec("drop table reached");
      return rows.map((row) => ({
        process: Number(row["process"]),
        text: row["record"] as string,
      }));
    },
    async shrink(isWhole = false): Promise<void> {
      const free = Number(db.prepare("pragma freelist_count").get()!["freelist_count"]);
      const pages = Number(db.prepare("pragma page_count").get()!["page_count"]);
      if (isWhole || free * 4 > pages) rewrite(db, pages);
      db.exec("pragma wal_checkpoint(truncate)");
    },
  };
}

/** A copy is made of all that is there: in memory only where that is little. */
function rewrite(db: DatabaseSync, pages: number): void {
  const isLarge = pages > MAX_PAGES_IN_MEMORY;
  try {
    if (isLarge) db.exec("pragma temp_store = file");
    db.exec("vacuum");
  } finally {
    if (isLarge) db.exec("pragma temp_store = memory");
  }
}
