// WaitForEnd: waits for the end of a process, also across a restart of the daemon.

import { setTimeout as sleep } from "node:timers/promises";
import { SysError, type Ending } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { isUp } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";

const AWAY_MS = 30_000;
const POLL_MS = 200;

export async function waitForEnd(
  { client, out, endpoint }: Pick<CommandCall, "client" | "out" | "endpoint">,
  pid: string,
  timeoutMs?: number,
): Promise<Ending> {
  const deadline = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, deadline - Date.now());
    try {
      return await client.wait({ pid, ...(leftMs === Infinity ? {} : { timeoutMs: leftMs }) });
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EINTR") throw error;
      out.note("the daemon stopped; waiting until it is back");
      if (!(await comesBack(endpoint, Math.min(AWAY_MS, leftMs)))) throw error;
    }
  }
}

async function comesBack(endpoint: Endpoint, patienceMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    if (await isUp(endpoint)) return true;
  }
  return false;
}
