// Migration: brings the database to the version of this program when a node opens it. Several nodes
// may open it at once; one migrates, the others wait for it.

import { SysError } from "@aos/protocol";
import type { Client } from "pg";
import { SCHEMA_VERSION, steps } from "../schema.ts";
import { newerSchemaFailure } from "../store-failure.ts";
import { locks } from "./locks.ts";

export async function migrate(
  client: Client,
  name: string,
  onMigrate: (what: string) => void,
): Promise<void> {
  await mustKeepWhatItAcknowledges(client, name);
  await client.query("begin isolation level read committed");
  await client.query("select pg_advisory_xact_lock($1)", [locks.migration]);
  const found = await versionOf(client);
  if (found > SCHEMA_VERSION) throw newerSchemaFailure(name, found, SCHEMA_VERSION);
  if (found > 0 && found < SCHEMA_VERSION)
    onMigrate(
      `${name} goes from schema ${found} to ${SCHEMA_VERSION}, and a server is not backed up from here: pg_dump makes the copy to go back to`,
    );
  for (const step of steps.filter((step) => step.version > found)) {
    for (const statement of step.statements("postgres")) await client.query(statement);
    await client.query("insert into aos_version values ($1, now()::text)", [step.version]);
  }
  await client.query("commit");
}

async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ found: string | null }>(
    "select to_regclass('aos_version') as found",
  );
  if (rows[0]!.found === null) {
    await client.query(
      "create table aos_version (version integer not null, applied_at text not null)",
    );
  }
  const versions = await client.query<{ version: number }>(
    "select coalesce(max(version), 0) as version from aos_version",
  );
  return versions.rows[0]!.version;
}

async function mustKeepWhatItAcknowledges(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ synchronous_commit: string }>("show synchronous_commit");
  if (rows[0]!.synchronous_commit === "off") {
    throw new SysError(
      "ESTORE",
      `${name} acknowledges before it has written (synchronous_commit is off)`,
      {
        hint: "alter database … set synchronous_commit = on",
      },
    );
  }
}
