// Kill switch: a preload for a host (`node --import`). The process ends itself with SIGKILL at the
// N-th commit of its database, just before the commit or just after it, whichever thread makes it: the
// threads count by the length of one file.
//
//   AOS_TEST_KILL=17:before AOS_TEST_KILL_COUNT=FILE node --import ./kill-switch.program.ts host.program.ts …

import { appendFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const [at = "", when = "before"] = (process.env["AOS_TEST_KILL"] ?? "").split(":");
const { exec } = DatabaseSync.prototype as { exec: (this: DatabaseSync, sql: string) => void };
const counter = process.env["AOS_TEST_KILL_COUNT"]!;

function countCommit(): number {
  appendFileSync(counter, ".");
  return statSync(counter).size;
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal is on its way, and nothing more may happen
}

DatabaseSync.prototype.exec = function (sql: string): void {
  const isTheOne = at !== "" && sql === "commit" && countCommit() === Number(at);
  if (isTheOne && when === "before") die();
  exec.call(this, sql);
  if (isTheOne) die();
};
