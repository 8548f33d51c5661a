// Bare: the floor. A loop that writes hash-chained rows with one commit per round, and nothing else:
// no gate, no scheduler, no replay, no program. What a journal on this machine can reach at all.

import { hash } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { fileBytes, measure } from "./harness.mjs";

await measure("bare", async (bench) => {
  const file = join(bench.dir, "journal.db");
  const db = new DatabaseSync(file);
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  const { synchronous } = db.prepare("pragma synchronous").get();
  if (synchronous !== 2) throw new Error(`SQLite runs with synchronous ${synchronous}`);
  db.exec(`create table journal(
    pos integer primary key, proc int, prev int, tenant int, record text, hash blob)`);
  const insert = db.prepare("insert into journal(pos, proc, prev, tenant, record, hash) values (?, ?, ?, 1, ?, ?)");
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");

  let pos = 0;
  const append = (proc, step) => {
    const payload = bench.payload(proc.id, step);
    const record = JSON.stringify({
      seq: step,
      n: step,
      at: Date.now(),
      kind: "call",
      call: "exec",
      args: { tool: "bench.step", args: { payload } },
      ok: true,
    });
    const link = hash("sha256", proc.hash + record, "buffer");
    pos += 1;
    insert.run(pos, proc.id, proc.prev, record, link);
    proc.prev = pos;
    proc.hash = link.toString("hex");
  };

  let first = 0;
  const rounds = async ({ agents, steps }) => {
    const procs = Array.from({ length: agents }, (_, id) => ({ id: first + id, prev: 0, hash: "" }));
    first += agents;
    for (let step = 0; step < steps; step += 1) {
      begin.run();
      for (const proc of procs) append(proc, step);
      commit.run();
      if (step % 100 === 99) await setImmediate(); // so that a signal is heard
    }
  };

  const settle = () => {
    db.exec("pragma wal_checkpoint(truncate)");
    return fileBytes(bench.dir);
  };
  let before;
  let rowsBefore;
  const rows = () => db.prepare("select count(*) as n from journal").get().n;
  const seconds = await bench.time(rounds, { beforeTimed: () => ([before, rowsBefore] = [settle(), rows()]) });
  const stored = rows() - rowsBefore;
  const diskBytes = settle() - before;
  const { version } = db.prepare("select sqlite_version() as version").get();
  db.close();
  return { version: `node ${process.versions.node}, sqlite ${version}`, seconds, diskBytes, stored };
});
