// Records of SQLite: a process's history, walked from its end back to its first record.

import type { StatementSync } from "node:sqlite";
import type { WrittenRow } from "../contract.ts";
import type { RecordTextQuery } from "../queries.ts";
import { hasWords, readAhead, recordPage, type RecordPage } from "../record-pages.ts";
import type { ProcessKey, RecordRow } from "../rows.ts";
import type { SqliteConnection } from "./connection.ts";
import { RECORDS_AT, RECORDS_BETWEEN, WALK, WALK_PLACES, WALK_TEXTS } from "./history.ts";

/** So many records are read one by one sooner than by a walk that has to be set up. */
const FEW_RECORDS = 8;

export function sqliteRecords(connection: SqliteConnection) {
  const statement = (sql: string): StatementSync => connection.statement(sql);
  const endOf = (key: ProcessKey): number =>
    Number(statement("select pos from chain where process = ?").get(key)?.["pos"] ?? 0);

  function textsOf(key: ProcessKey, first: number, last: number): string[] {
    const count = last - first + 1;
    if (count <= 0) return [];
    if (count > FEW_RECORDS) {
      const rows = statement(`${WALK_TEXTS} select record from walk limit ?`).all(key, count);
      return rows.map((row) => row["record"] as string).reverse();
    }
    const found: string[] = [];
    for (let pos = endOf(key), before = Infinity; found.length < count && pos < before;) {
      const row = statement("select prev, record from journal where pos = ?").get(pos);
      if (row === undefined) break;
      found.push(row["record"] as string);
      before = pos;
      pos = Number(row["prev"]);
    }
    return found.reverse();
  }

  /** Where the records of a process are, the first first. */
  async function placesOf(key: ProcessKey): Promise<Float64Array> {
    // As one text: a row object for each costs more than the walk.
    const row = statement(`${WALK_PLACES} select json_group_array(pos) as list from walk`);
    const places = JSON.parse(row.get(key)!["list"] as string) as number[];
    return Float64Array.from(places).reverse();
  }

  /** The records at these places, of which the first has this seq. */
  async function recordsAt(first: number, places: Float64Array): Promise<RecordPage> {
    const [from, to] = [places[0]!, places.at(-1)!];
    const rows =
      to - from === places.length - 1
        ? statement(RECORDS_BETWEEN).all(from, to)
        : statement(RECORDS_AT).all(JSON.stringify([...places]));
    return recordPage(first, rows);
  }

  return {
    textsOf,
    placesOf,
    recordsAt,
    async records(key: ProcessKey, { after = -1, upTo = Infinity } = {}): Promise<RecordRow[]> {
      const end = statement("select seq from chain where process = ?").get(key);
      const last = Number(end?.["seq"] ?? -1);
      let seq = Math.min(last, upTo);
      const count = seq - after;
      if (count <= 0) return [];
      const rows = statement(
        `${WALK} select tenant, process, record, hash from walk limit ? offset ?`,
      ).all(key, count, last - seq);
      const found: RecordRow[] = [];
      for (const row of rows) {
        found.push({
          process: Number(row["process"]),
          tenant: Number(row["tenant"]),
          seq,
          text: row["record"] as string,
          hash: row["hash"] as Uint8Array,
        });
        seq--;
      }
      return found.reverse();
    },
    async *recordPages(key: ProcessKey): AsyncGenerator<RecordPage> {
      const places = await placesOf(key);
      yield* readAhead(key, places.length - 1, (first, count) =>
        recordsAt(first, places.subarray(first, first + count)),
      );
    },
    async placeOf(key: ProcessKey, seq: number): Promise<number | undefined> {
      const end = statement("select seq from chain where process = ?").get(key);
      const steps = Number(end?.["seq"] ?? -1) - seq;
      if (steps < 0 || seq < 0) return undefined;
      const row = statement(`${WALK} select pos, process from walk limit 1 offset ?`).get(
        key,
        steps,
      );
      return row?.["process"] === key ? Number(row["pos"]) : undefined;
    },

    async writtenAfter(place: number, limit: number): Promise<WrittenRow[]> {
      return (await connection.query(
        "select pos as place, process, record as text from journal where pos > ? order by pos limit ?",
        [place, limit],
      )) as unknown as WrittenRow[];
    },

    async lastPlace(): Promise<number> {
      const row = statement("select coalesce(max(pos), 0) as place from journal").get();
      return Number(row?.["place"]);
    },

    async recordsWith({ tenant, after, upTo, words }: RecordTextQuery): Promise<WrittenRow[]> {
      const has = hasWords(words, "instr(record, ?) > 0");
      return (await connection.query(
        `select pos as place, process, record as text from journal
           where pos > ? and pos <= ? and tenant = ? and (${has}) order by pos desc`,
        [after, upTo, tenant, ...words.flat()],
      )) as unknown as WrittenRow[];
    },
  };
}
