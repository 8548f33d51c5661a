// The daemon of this home: the one that is up, or a new one.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Client } from "@aos/client";
import type { StatusReport } from "@aos/protocol";
import { clientOver } from "./over-socket.ts";

const AOS = fileURLToPath(new URL("../../cli/bin/aos", import.meta.url));

export interface Daemon {
  readonly client: Client;
  readonly status: StatusReport;
  /** Whether it was up already. */
  readonly wasUp: boolean;
}

/** Undefined when none can be had; what keeps it from starting has been said then. */
export function daemonOfHome(): Daemon | undefined {
  const found = statusOfDaemon();
  if (found !== undefined) return { client: clientOver(found.socket), status: found, wasUp: true };
  const starting = spawnSync(AOS, ["up", "-d"], { encoding: "utf8" });
  // Also when it could not: somebody else may have started one meanwhile.
  const status = statusOfDaemon();
  if (status !== undefined) return { client: clientOver(status.socket), status, wasUp: false };
  process.stderr.write(starting.stderr || String(starting.error));
  if (starting.status === 0) spawnSync(AOS, ["status"], { stdio: "inherit" });
  return undefined;
}

function statusOfDaemon(): StatusReport | undefined {
  const { stdout, status } = spawnSync(AOS, ["status", "-o", "json"], { encoding: "utf8" });
  return status === 0 ? (JSON.parse(stdout) as StatusReport) : undefined;
}
