// DaemonProcess: starts the daemon from the command line.

import { spawn, type StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SysError, type DaemonInfo, type FailureText } from "@aos/protocol/words";
import { HEAP_FLAGS } from "./heap-flags.ts";
import type { Endpoint } from "./endpoint.ts";

const MAIN = fileURLToPath(new URL("../../daemon/bin/daemon.mjs", import.meta.url));
const FLAGS = ["--disable-warning=ExperimentalWarning", ...HEAP_FLAGS];

/** How long a daemon that is starting or stopping at the same moment may take, on a slow and busy machine. */
const OTHERS_MS = 120_000;
const POLL_MS = 100;
/** How long we only look before we try to start one again; twice as long each time: every try is a whole start. */
const FIRST_LOOK_MS = 1000;

type StartupMessage = { readonly ready: DaemonInfo } | { readonly failed: FailureText };

/** Becomes the daemon: the same process, in the foreground. Does not return. */
export function execDaemon(endpoint: Endpoint, words: readonly string[]): never {
  if (process.execve === undefined) throw new SysError("EINTERNAL", "this Node has no execve");
  const command = [process.execPath, ...FLAGS, MAIN, ...words];
  return process.execve(process.execPath, command, environment(endpoint));
}

/** How the daemon's program is started for something that needs no daemon. */
export const daemonCommand = (
  endpoint: Endpoint,
  words: readonly string[],
): [program: string, args: string[], env: Record<string, string>] => [
  process.execPath,
  [...FLAGS, MAIN, ...words],
  environment(endpoint),
];

/** Asks the daemon's program something that needs no daemon; it answers with one JSON value. */
export async function queryDaemonProgram<T>(
  endpoint: Endpoint,
  words: readonly string[],
): Promise<T> {
  const child = spawn(process.execPath, [...FLAGS, MAIN, ...words], {
    env: environment(endpoint),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const piece of child.stdout.setEncoding("utf8")) text += String(piece);
  if (text === "") throw new SysError("EINTERNAL", "the daemon program exited without an answer");
  const answer = JSON.parse(text) as { error?: FailureText };
  if (answer.error !== undefined) throw SysError.from(answer.error);
  return answer as T;
}

/** Starts one that outlives us. Resolves when it is ready; throws what kept it from being so. */
export async function startDetached(
  endpoint: Endpoint,
  words: readonly string[] = [],
): Promise<DaemonInfo> {
  const log = openLog(endpoint);
  const stdio: StdioOptions = ["ignore", "ignore", log ?? "ignore", "ipc"];
  const child = spawn(process.execPath, [...FLAGS, MAIN, "--detached", ...words], {
    detached: true,
    cwd: "/",
    env: environment(endpoint),
    stdio,
  });
  if (log !== undefined) closeSync(log);

  const told = await new Promise<StartupMessage>((resolve, reject) => {
    child.once("message", (message) => resolve(message as StartupMessage));
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      reject(
        new SysError("EINTERNAL", `the daemon exited at its start ${how}`, {
          hint: `see ${join(endpoint.home, "daemon.log")}, or run \`aos up\` in the foreground`,
        }),
      );
    });
  });
  if (child.connected) child.disconnect();
  child.unref();
  if ("failed" in told) throw SysError.from(told.failed);
  return told.ready;
}

/**
 * Starts one, or finds the one that somebody else is just starting. The home may also be held by one
 * that is just stopping: then the next try gets it.
 */
export async function ensureStarted(
  endpoint: Endpoint,
  isUp: () => Promise<boolean>,
): Promise<DaemonInfo | undefined> {
  const deadline = Date.now() + OTHERS_MS;
  for (let lookMs = FIRST_LOOK_MS; ; lookMs *= 2) {
    try {
      return await startDetached(endpoint);
    } catch (error) {
      const isHeld = error instanceof SysError && error.code === "EEXIST";
      if (!isHeld || Date.now() > deadline) throw error;
    }
    for (const until = Date.now() + lookMs; Date.now() < until; await sleep(POLL_MS))
      if (await isUp()) return undefined;
  }
}

/** For what the daemon says when it can no longer log. Without a home yet there is none. */
function openLog({ home }: Endpoint): number | undefined {
  try {
    return openSync(join(home, "daemon.log"), "a", 0o600);
  } catch {
    return undefined;
  }
}

/** The daemon has another working folder: it is told the places in full. */
function environment({ home, socket }: Endpoint): Record<string, string> {
  const set = Object.entries(process.env).filter(([, value]) => value !== undefined);
  const inherited = Object.fromEntries(set) as Record<string, string>;
  return { ...inherited, AOS_HOME: home, AOS_SOCKET: socket };
}
