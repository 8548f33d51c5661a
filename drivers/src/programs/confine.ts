// Confine: the sandbox request for one foreign program.
//
// CONFINE-1  It has no network and no sockets; it acts through system calls only.
// CONFINE-2  Nothing of the daemon's own environment, which may hold keys, reaches a program.
// CONFINE-3  A program of a tenant with a ceiling is not started where the sandbox does not enforce its limits.

import { delimiter, dirname } from "node:path";
import type { ProgramStart } from "@aos/protocol";
import { requireEnforced, type RunRequest } from "../sandbox/index.ts";
import type { ProgramEnvironment } from "./foreign-program.ts";
import { viewOf } from "./program-view.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

export async function startConfined(
  { pid, command = [], folder, confinement }: ProgramStart,
  {
    sandbox,
    places,
    env,
    runLimits,
  }: Omit<ProgramEnvironment, "limits" | "onStarted" | "onStderr">,
): Promise<Omit<RunRequest, "output">> {
  if (confinement !== undefined) requireEnforced(await sandbox(), confinement.tenant); // CONFINE-3
  return {
    ...(await viewOf(command, folder, { ...places, confinement })),
    name: `program ${pid}`,
    network: "none",
    profile: "program",
    limits: runLimits,
    // CONFINE-2. Python would walk a set in another order on every start, and a replay would diverge.
    env: { PATH: [dirname(process.execPath), PATH].join(delimiter), PYTHONHASHSEED: "0", ...env },
  };
}
