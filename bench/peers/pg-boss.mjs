// pg-boss: a queue for each agent of a ring, on a PostgreSQL that is given by its URL and has fsync on. A message is
// received when its job is completed.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { each, measure, versionOf } from "./harness.mjs";

const POLL_MS = 2;

await measure("pg-boss", async (bench) => {
  const { url } = bench.options;
  if (url === undefined) throw new Error("--url is needed");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  bench.defer(() => client.end());
  const setting = async (name) => Object.values((await client.query(`show ${name}`)).rows[0])[0];
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"])
    if ((await setting(name)) !== "on") throw new Error(`PostgreSQL runs with ${name} off`);
  const size = async () =>
    Number((await client.query("select pg_database_size(current_database()) as n")).rows[0].n);

  const boss = new PgBoss({ connectionString: url, max: 20, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  bench.defer(() => boss.stop({ graceful: false }));

  const work = async ({ agents, steps, run }) => {
    const name = (id) => `${run}-${id % agents}`;
    for (let id = 0; id < agents; id += 1) await boss.createQueue(name(id));
    return async () =>
      each(agents, async (id) => {
        for (let step = 0; step < steps; step += 1) {
          await boss.send(name(id + 1), { text: bench.payload(id, step) });
          await boss.complete(name(id), await take(boss, name(id)));
        }
      });
  };

  // Queues are made before: only messages are timed.
  const prepared = new Map();
  const ready = async (given) => {
    const { run } = given;
    if (!prepared.has(run)) prepared.set(run, await work(given));
    return prepared.get(run)();
  };
  let before;
  const seconds = await bench.time(ready, {
    beforeTimed: async () => {
      const { agents, steps } = bench;
      prepared.set("timed", await work({ agents, steps, run: "timed" }));
      before = await size();
    },
  });
  const done = "select count(*) as n from pgboss.job where name like 'timed-%' and state = 'completed'";
  return {
    version: `${versionOf("pg-boss")}, PostgreSQL ${await setting("server_version")}`,
    seconds,
    diskBytes: (await size()) - before,
    stored: Number((await client.query(done)).rows[0].n),
  };
});

async function take(boss, queue) {
  for (;;) {
    const [job] = await boss.fetch(queue);
    if (job !== undefined) return job.id;
    await sleep(POLL_MS);
  }
}
