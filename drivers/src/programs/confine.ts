// Confine: what is asked of the sandbox for one foreign program.
//
// W1  No network and no sockets: what it wants of the world it asks for with system calls.
// W2  Nothing of the daemon's own environment, where keys live, reaches a program.

import { delimiter, dirname } from "node:path";
import type { ProgramStart } from "@aos/protocol";
import type { RunRequest } from "../sandbox/index.ts";
import type { Surroundings } from "./foreign-program.ts";
import { viewOf } from "./program-view.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

export async function confine(
  { pid, command = [], folder }: ProgramStart,
  { places, env, runLimits }: Pick<Surroundings, "places" | "env" | "runLimits">,
): Promise<Omit<RunRequest, "output">> {
  return {
    ...(await viewOf(command, folder, places)),
    name: `program ${pid}`,
    network: "none",
    profile: "program",
    limits: runLimits,
    // W2. Python would walk a set in another order on every start, and a replay would diverge.
    env: { PATH: [dirname(process.execPath), PATH].join(delimiter), PYTHONHASHSEED: "0", ...env },
  };
}
