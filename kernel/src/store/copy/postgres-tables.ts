// The tables of a PostgreSQL database, as they are at one moment, to copy from; or of an empty one, to copy to.
//
// POSTGRES-TABLES-1  What is read is one snapshot, whatever others write meanwhile.
// POSTGRES-TABLES-2  What is written is one transaction, tables included: it is there whole, or not at all.
// POSTGRES-TABLES-3  A text that PostgreSQL cannot keep as it is (one with U+0000) is refused, never changed.

import { SysError } from "@aos/protocol/failures";
import type { Client } from "pg";
import { clientOf, databaseName } from "../postgres/connection.ts";
import { locks } from "../postgres/locks.ts";
import { SCHEMA_VERSION, steps } from "../schema.ts";
import { MOVED_AWAY, newerSchemaFailure, storeFailure } from "../store-failure.ts";
import type { SqlValue } from "../writes.ts";
import {
  batchesOf,
  JOURNAL,
  ROWS_AT_ONCE,
  type CopiedRow,
  type TableShape,
  type TableTarget,
} from "./table.ts";

export class PostgresTables implements TableTarget {
  readonly name: string;
  readonly #client: Client;
  /** The type of each column, by table and name. */
  readonly #types = new Map<string, string>();

  private constructor(client: Client, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** POSTGRES-TABLES-1. */
  static async openSource(url: string): Promise<PostgresTables> {
    return opened(url, async (client, name) => {
      await client.query("begin isolation level repeatable read read only");
      const found = await schemaOf(client);
      if (found === 0) throw new SysError("ENOENT", `${name} has no tables of Agent OS`);
      if (found > SCHEMA_VERSION) throw newerSchemaFailure(name, found, SCHEMA_VERSION);
      if (found < SCHEMA_VERSION)
        throw new SysError("ESTATE", `${name} has schema ${found}, of an earlier release`, {
          hint: "start a daemon of this release on it once",
        });
      return new PostgresTables(client, name);
    });
  }

  /** POSTGRES-TABLES-2. Makes the tables where there are none, and refuses those that have something in them. */
  static async openTarget(url: string): Promise<PostgresTables> {
    return opened(url, async (client, name) => {
      await client.query("begin isolation level read committed");
      await client.query("select pg_advisory_xact_lock($1)", [locks.migration]);
      await makeEmptyTables(client, name);
      return new PostgresTables(client, name);
    });
  }

  async tables(): Promise<TableShape[]> {
    const { rows } = await this.#query(
      `select table_name as table, column_name as column, udt_name as type from information_schema.columns
         where table_schema = current_schema() and table_name <> 'aos_version'`,
    );
    const shapes = new Map<string, string[]>();
    for (const row of rows) {
      const { table, column, type } = row as { table: string; column: string; type: string };
      this.#types.set(`${table}.${column}`, type);
      shapes.set(table, [...(shapes.get(table) ?? []), column]);
    }
    return [...shapes].map(([name, columns]) =>
      name === "journal" ? JOURNAL : { name, columns: columns.toSorted() },
    );
  }

  async *rows(table: TableShape): AsyncGenerator<CopiedRow[]> {
    yield* batchesOf(this.#read(table));
  }

  async *#read({ name, columns }: TableShape): AsyncGenerator<CopiedRow> {
    const order = name === "journal" ? " order by place" : "";
    await this.#query(
      `declare copied no scroll cursor for select ${columns.join(", ")} from ${name}${order}`,
    );
    for (;;) {
      const { rows } = await this.#query(`fetch ${ROWS_AT_ONCE} from copied`);
      for (const row of rows) yield columns.map((column) => row[column] as SqlValue);
      if (rows.length < ROWS_AT_ONCE) break;
    }
    await this.#query("close copied");
  }

  async insert({ name, columns }: TableShape, rows: readonly CopiedRow[]): Promise<void> {
    const given = columns.map((_, at) => rows.map((row) => keepable(row[at]!, name, columns[at]!)));
    const types = columns.map((column) => this.#types.get(`${name}.${column}`)!);
    const unnested = types.map((type, at) => `$${at + 1}::${type}[]`).join(", ");
    await this.#query(
      `insert into ${name} (${columns.join(", ")}) select * from unnest(${unnested})`,
      given,
    );
  }

  /** The next record comes after all that were copied. */
  async finish(): Promise<void> {
    await this.#query(
      `select setval(pg_get_serial_sequence('journal', 'place'), greatest(1, (select max(place) from journal)))`,
    );
  }

  /** Nodes that may still be at work. */
  async livingNodes(nowMs: number): Promise<string[]> {
    const { rows } = await this.#query("select name from node where expires_at > $1", [nowMs]);
    return rows.map(({ name }) => String(name));
  }

  async commit(): Promise<void> {
    await this.#query("commit");
  }

  /** What is not committed is as if it had never been. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  async #query(sql: string, values: unknown[] = []): Promise<{ rows: Record<string, SqlValue>[] }> {
    try {
      return await this.#client.query<Record<string, SqlValue>>(sql, values);
    } catch (error) {
      throw storeFailure(error, this.name);
    }
  }
}

async function opened(
  url: string,
  use: (client: Client, name: string) => Promise<PostgresTables>,
): Promise<PostgresTables> {
  const name = databaseName(url);
  let client: Client | undefined;
  try {
    client = clientOf(url, { idle_in_transaction_session_timeout: 0 }); // the other side may be slow
    client.on("error", () => {}); // the statement under way says it too
    await client.connect();
    return await use(client, name);
  } catch (error) {
    await client?.end().catch(() => {});
    throw storeFailure(error, name);
  }
}

async function schemaOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ found: string | null }>(
    "select to_regclass('aos_version') as found",
  );
  if (rows[0]!.found === null) return 0;
  const versions = await client.query<{ version: number }>(
    "select coalesce(max(version), 0) as version from aos_version",
  );
  return versions.rows[0]!.version;
}

/** Every daemon has written to these before it does anything. */
const USED = ["process", "ledger", "secret", "removal", "node"];

async function makeEmptyTables(client: Client, name: string): Promise<void> {
  const found = await schemaOf(client);
  if (found > SCHEMA_VERSION) throw newerSchemaFailure(name, found, SCHEMA_VERSION);
  if (found === 0) {
    await client.query(
      "create table if not exists aos_version (version integer not null, applied_at text not null)",
    );
  } else {
    for (const table of USED) {
      const there = await client.query("select 1 where to_regclass($1) is not null", [table]);
      if (there.rows.length === 0) continue;
      const { rows } = await client.query(`select 1 from ${table} limit 1`);
      if (rows.length > 0) throw notEmpty(name, table);
    }
  }
  for (const step of steps.filter(({ version }) => version > found)) {
    for (const statement of step.statements("postgres")) await client.query(statement);
    await client.query("insert into aos_version values ($1, now()::text)", [step.version]);
  }
  await client.query("delete from tenant");
  await client.query("delete from counter");
}

const notEmpty = (name: string, table: string) =>
  new SysError("EEXIST", `${name} is not empty: its table ${table} has rows`, {
    hint: "use an empty database, or a separate schema: ?options=-c%20search_path=NAME",
  });

/** POSTGRES-TABLES-3. */
function keepable(value: SqlValue, table: string, column: string): SqlValue {
  if (typeof value === "string" && value.includes("\0"))
    throw new SysError(
      "EINVAL",
      `a value in ${table}.${column} has the character U+0000, which PostgreSQL cannot keep`,
      { hint: "stay with SQLite, or remove the file or message that has it" },
    );
  return value;
}

/** Says in a database that what it had is elsewhere now: no daemon, of any release, goes on from it. */
export async function markMovedAway(url: string): Promise<void> {
  const client = clientOf(url);
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("insert into aos_version values ($1, now()::text)", [MOVED_AWAY]);
  } catch (error) {
    throw storeFailure(error, databaseName(url));
  } finally {
    await client.end().catch(() => {});
  }
}
