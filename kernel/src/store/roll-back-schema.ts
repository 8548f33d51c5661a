// Roll back schema: takes steps of the schema back, in one transaction (schema-undo.ts).

import { DatabaseSync } from "node:sqlite";
import { SysError } from "@aos/protocol/failures";
import { clientOf, databaseName } from "./postgres/connection.ts";
import { locks } from "./postgres/locks.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { LOWEST_SCHEMA, undos } from "./schema-undo.ts";
import { foldRedo } from "./sqlite/redo-log.ts";
import { newerSchemaFailure, storeFailure } from "./store-failure.ts";

type Run = (sql: string) => Promise<readonly Record<string, unknown>[]>;

export async function rollBackSchema(
  where: { readonly file: string } | { readonly url: string },
  to: number,
): Promise<number[]> {
  return "file" in where ? inFile(where.file, to) : onServer(where.url, to);
}

async function inFile(file: string, to: number): Promise<number[]> {
  const name = `the database ${file}`;
  const database = new DatabaseSync(file);
  try {
    database.exec("pragma busy_timeout = 500; pragma synchronous = full; begin immediate");
    foldRedo(database);
    const steps = await takeBack(async (sql) => database.prepare(sql).all(), "sqlite", name, to);
    database.exec("commit");
    return steps;
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw storeFailure(error, name);
  } finally {
    database.close();
  }
}

async function onServer(url: string, to: number): Promise<number[]> {
  const name = databaseName(url);
  const client = clientOf(url);
  client.on("error", () => {}); // the statement under way says it too
  try {
    await client.connect();
    await client.query("begin isolation level read committed");
    await client.query("select pg_advisory_xact_lock($1)", [locks.migration]);
    const nodes = await client.query(
      "select name from node where expires_at > extract(epoch from now()) * 1000",
    );
    if (nodes.rows.length > 0)
      throw new SysError("ESTATE", `${name} is in use`, { hint: "stop every daemon that uses it" });
    const run: Run = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
    const steps = await takeBack(run, "postgres", name, to);
    await client.query("commit"); // SCHEMA-UNDO-2
    return steps;
  } catch (error) {
    throw storeFailure(error, name);
  } finally {
    await client.end().catch(() => {});
  }
}

async function takeBack(
  run: Run,
  dialect: "sqlite" | "postgres",
  name: string,
  to: number,
): Promise<number[]> {
  const [row] = await run("select coalesce(max(version), 0) as found from aos_version");
  const found = Number(row!["found"]);
  if (found > SCHEMA_VERSION) throw newerSchemaFailure(name, found, SCHEMA_VERSION);
  if (to >= found)
    throw new SysError("EINVAL", `${name} has schema ${found}: there is nothing to take back`, {
      hint: "starting a daemon brings it to the schema of its release",
    });
  if (to < LOWEST_SCHEMA)
    throw new SysError(
      "EINVAL",
      `schema ${to} cannot be restored: step ${LOWEST_SCHEMA} changed how money is kept`,
      { hint: `the lowest is ${LOWEST_SCHEMA}; a backup of before has the older one` },
    );
  const taken = undos.filter(({ version }) => version > to && version <= found);
  for (const { version, unless = [], statements } of taken) {
    for (const [query, reason] of unless)
      if ((await run(query)).length > 0)
        throw new SysError("ESTATE", `step ${version} cannot be taken back: ${reason}`, {
          hint: "nothing was changed; a backup of before has the older schema",
        }); // SCHEMA-UNDO-1
    for (const statement of statements(dialect)) await run(statement);
    await run(`delete from aos_version where version = ${version}`);
  }
  return taken.map(({ version }) => version);
}
