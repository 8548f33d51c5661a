// Kill switch: a preload for a host (`node --import`). The process ends itself with SIGKILL at the
// N-th commit of its database, just before the commit or just after it, whichever thread makes it: the
// threads count by the length of one file.
//
//   AOS_TEST_KILL=17:before AOS_TEST_KILL_COUNT=FILE node --import ./kill-switch.program.ts host.program.ts …

import { appendFileSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const [at = "", when = "before"] = (process.env["AOS_TEST_KILL"] ?? "").split(":");
const counter = process.env["AOS_TEST_KILL_COUNT"]!;

function countCommit(): number {
  appendFileSync(counter, ".");
  return statSync(counter).size;
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal is on its way, and nothing more may happen
}

function commit<T>(work: () => T): T {
  const isTheOne = at !== "" && countCommit() === Number(at);
  if (isTheOne && when === "before") die();
  const done = work();
  if (isTheOne) die();
  return done;
}

const { exec, prepare } = DatabaseSync.prototype as {
  exec: (this: DatabaseSync, sql: string) => void;
  prepare: (this: DatabaseSync, sql: string) => StatementSync;
};

DatabaseSync.prototype.exec = function (sql: string): void {
  if (sql === "commit") commit(() => exec.call(this, sql));
  else exec.call(this, sql);
};

DatabaseSync.prototype.prepare = function (sql: string): StatementSync {
  const statement = prepare.call(this, sql);
  if (sql !== "commit") return statement;
  const run = statement.run.bind(statement);
  statement.run = () => commit(() => run());
  return statement;
};
