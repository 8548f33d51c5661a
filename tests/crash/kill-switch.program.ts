// Kill switch: a preload for a host (`node --import`). The process ends itself with SIGKILL at the
// N-th commit of its database, just before the commit or just after it.
//
//   AOS_TEST_KILL=17:before node --import ./kill-switch.program.ts host.program.ts …

import { DatabaseSync } from "node:sqlite";

const [at = "0", when = "before"] = (process.env["AOS_TEST_KILL"] ?? "").split(":");
const { exec } = DatabaseSync.prototype as { exec: (this: DatabaseSync, sql: string) => void };
let commits = 0;

function die(): void {
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal is on its way, and nothing more may happen
}

DatabaseSync.prototype.exec = function (sql: string): void {
  const isTheOne = sql === "commit" && ++commits === Number(at);
  if (isTheOne && when === "before") die();
  exec.call(this, sql);
  if (isTheOne) die();
};
