// Bare journal: rows in a hash chain, with one commit for a row of each agent, and nothing else. What a journal
// on this machine can reach at all: the floor of `steps` and of `guard`.

import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

export function openBareJournal(file) {
  const db = new DatabaseSync(file);
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  const { synchronous } = db.prepare("pragma synchronous").get();
  if (synchronous !== 2) throw new Error(`SQLite runs with synchronous ${synchronous}`);
  db.exec(`create table if not exists journal(
    pos integer primary key, proc int, prev int, tenant int, record text, hash blob)`);
  const insert = db.prepare("insert into journal(pos, proc, prev, tenant, record, hash) values (?, ?, ?, 1, ?, ?)");
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  let agents = 0;
  let pos = 0;

  const append = (proc, step, payload) => {
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

  return {
    db,
    /** Agents that have no row yet. */
    newAgents: (count) => {
      const first = agents;
      agents += count;
      return Array.from({ length: count }, (_, nth) => ({ id: first + nth, prev: 0, hash: "" }));
    },
    /** One row for each of them, in one commit. */
    round: (procs, step, payloadOf) => {
      begin.run();
      for (const proc of procs) append(proc, step, payloadOf(proc.id, step));
      commit.run();
    },
  };
}
