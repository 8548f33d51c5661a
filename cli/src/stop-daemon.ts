// Stop daemon: asks the daemon to stop, and waits until it has.

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@aos/client";
import { SysError } from "@aos/protocol/words";
import { isUp } from "./connection.ts";
import { NoDaemon } from "./daemon-fetch.ts";
import type { Endpoint } from "./endpoint.ts";
import { isRunning } from "./is-running.ts";

const LONGEST_STOP_MS = 30_000;
const POLL_MS = 20;

/** Its pid; null when none was up. */
export async function stopDaemon(client: Client, endpoint: Endpoint): Promise<number | null> {
  try {
    const { daemon } = await client.status();
    await client.shutdown();
    // Its process is no more: the next one may have the home.
    await hasStopped(daemon.pid, async () =>
      endpoint.remote === undefined ? isRunning(daemon.pid) : isUp(endpoint),
    );
    return daemon.pid;
  } catch (error) {
    if (error instanceof NoDaemon) return null;
    throw error;
  }
}

export async function hasStopped(pid: number, isThere: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < LONGEST_STOP_MS; waitedMs += POLL_MS) {
    if (!(await isThere())) return;
    await sleep(POLL_MS);
  }
  throw new SysError("ETIMEDOUT", `the daemon (pid ${pid}) is still stopping`, {
    hint: "see daemon.log in its home for what it waits for",
  });
}
