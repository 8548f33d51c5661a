// PostgreSQL, bare: the floor. The same driver writes hash-chained rows of the same size, and nothing else: no
// gate, no fence, no spend, no program.
//
//   transaction   begin, an insert for all agents, commit, each awaited, as most programs write it
//   statement     the insert by itself: the least that a durable step can be

import { hash } from "node:crypto";
import { Client } from "pg";
import { payloadOf } from "./measure.ts";

export interface BareRun {
  readonly url: string;
  readonly agents: number;
  readonly steps: number;
  readonly bytes: number;
  readonly warmSeconds?: number;
  readonly shape: "transaction" | "statement";
}

const INSERT = `insert into bare_journal (process, seq, record, hash)
  select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[])`;
const INSERT_ONE = "insert into bare_journal (process, seq, record, hash) values ($1, $2, $3, $4)";

export async function runPostgresBare({
  url,
  agents,
  steps,
  bytes,
  warmSeconds = 3,
  shape,
}: BareRun): Promise<{ perSecond: number; cpuMicros: number }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `create table if not exists bare_journal (
       process bigint not null, seq bigint not null, record text not null, hash bytea not null, primary key (process, seq))`,
  );
  await client.query("truncate bare_journal");

  let first = 0;
  const run = async (count: number) => {
    const processes = Array.from({ length: agents }, (_, nth) => first + nth);
    const hashes = processes.map(() => "");
    first += agents;
    for (let seq = 0; seq < count; seq++) {
      const records = processes.map((process) => recordOf(seq, payloadOf(bytes, process + seq)));
      const links = records.map((record, nth) => hash("sha256", hashes[nth] + record, "buffer"));
      links.forEach((link, nth) => (hashes[nth] = link.toString("hex")));
      if (shape === "transaction") await client.query("begin");
      if (agents === 1)
        await client.query({
          name: "one",
          text: INSERT_ONE,
          values: [processes[0], seq, records[0], links[0]],
        });
      else
        await client.query({
          name: "many",
          text: INSERT,
          values: [processes, processes.map(() => seq), records, links],
        });
      if (shape === "transaction") await client.query("commit");
    }
  };
  for (const until = Date.now() + warmSeconds * 1000; Date.now() < until;)
    await run(Math.min(steps, 10));
  const cpuBefore = process.cpuUsage();
  const from = performance.now();
  await run(steps);
  const perSecond = (agents * steps) / ((performance.now() - from) / 1000);
  const { user, system } = process.cpuUsage(cpuBefore);
  await client.end();
  return { perSecond, cpuMicros: (user + system) / (agents * steps) };
}

const recordOf = (seq: number, payload: string): string =>
  JSON.stringify({
    seq,
    n: seq,
    at: Date.now(),
    kind: "call",
    call: "exec",
    args: { tool: "bench.step", args: { payload } },
    ok: true,
  });
