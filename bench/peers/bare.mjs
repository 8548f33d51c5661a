// Bare: the floor. A loop that writes hash-chained rows with one commit per round, and nothing else:
// no gate, no scheduler, no replay, no program. What a journal on this machine can reach at all.

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { openBareJournal } from "./bare-journal.mjs";
import { fileBytes, measure } from "./harness.mjs";

await measure("bare", async (bench) => {
  const { db, newAgents, round } = openBareJournal(join(bench.dir, "journal.db"));

  const rounds = async ({ agents, steps }) => {
    const procs = newAgents(agents);
    for (let step = 0; step < steps; step += 1) {
      round(procs, step, bench.payload);
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
