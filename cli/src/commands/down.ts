import { setTimeout as sleep } from "node:timers/promises";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { isUp } from "../connection.ts";
import { NoDaemon } from "../daemon-fetch.ts";
import { isRunning } from "../is-running.ts";

const LONGEST_STOP_MS = 30_000;
const POLL_MS = 20;

const command: Command = async ({ client, out, endpoint }) => {
  const pid = await stop(client);
  if (pid === null) {
    out.note(`no daemon was running on ${endpoint.remote?.url ?? endpoint.home}`);
  } else {
    await (endpoint.remote === undefined ? gone(pid) : silent(pid, () => isUp(endpoint)));
    out.note(`the daemon (pid ${pid}) has stopped`);
  }
  await out.data({ stopped: pid !== null, pid }, () => "");
};

export default command;

async function stop(client: Parameters<Command>[0]["client"]): Promise<number | null> {
  try {
    const { daemon } = await client.status();
    await client.shutdown();
    return daemon.pid;
  } catch (error) {
    if (error instanceof NoDaemon) return null;
    throw error;
  }
}

/** Its process is no more: the next one may have the home. */
const gone = (pid: number): Promise<void> => silent(pid, async () => isRunning(pid));

async function silent(pid: number, isThere: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < LONGEST_STOP_MS; waitedMs += POLL_MS) {
    if (!(await isThere())) return;
    await sleep(POLL_MS);
  }
  throw new SysError("ETIMEDOUT", `the daemon (pid ${pid}) is still stopping`, {
    hint: "see daemon.log in its home for what it waits for",
  });
}
