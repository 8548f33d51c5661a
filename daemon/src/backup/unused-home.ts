// Whether a home has been used: one that has is never replaced by a restore.

import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { countRuns } from "@aos/kernel";
import { SysError } from "@aos/protocol";
import type { Home } from "../home.ts";
import { lockHome, readDaemonInfo } from "../home-lock.ts";

export function mustBeUnused(home: Home): void {
  const found = lstatSync(home.folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new SysError("EINVAL", `the home ${home.folder} is not a folder`);
  if (readdirSync(home.folder).length === 0) return;
  if (readDaemonInfo(home) !== undefined) lockHome(home).release(); // throws where a daemon holds it
  const hasDatabase = existsSync(home.database) && statSync(home.database).size > 0;
  const runs = hasDatabase ? countRuns(home.database) : 0;
  const hint = "give another folder with --home, or move this one away";
  if (runs > 0) throw new SysError("EEXIST", `the home ${home.folder} has ${runs} runs`, { hint });
  if (!hasDatabase && existsSync(home.audit))
    throw new SysError(
      "EEXIST",
      `the home ${home.folder} has a signed log: its runs are in a database on a server`,
      { hint },
    );
}
