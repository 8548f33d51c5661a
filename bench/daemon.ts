// A daemon for a bench: a home of its own in the bench's folder, started by `aos` as a user would.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { benchFolder } from "./measure.ts";

export const AOS = fileURLToPath(new URL("../cli/bin/aos", import.meta.url));
const TICKS_PER_SECOND = 100; // what /proc counts in, on every Linux that there is

export interface BenchDaemon {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  /** Of an operator. */
  readonly token: string;
  /** Of its process. */
  readonly pid: number;
  /** How long `aos up -d` took. */
  readonly upMs: number;
  aos(...words: string[]): Promise<string>;
  /** Seconds of processor time that it has used so far. */
  cpuSeconds(): number;
  close(): Promise<void>;
}

/** `files` by their paths in the home; `fill` makes what else is in it. */
export async function startDaemon(
  files: Record<string, string>,
  fill: (folder: string) => Promise<unknown> = async () => {},
): Promise<BenchDaemon> {
  const folder = benchFolder();
  await fill(folder);
  const env = { ...process.env, AOS_HOME: folder, AOS_HTTP: "127.0.0.1:0", NO_COLOR: "1" };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const aos = async (...words: string[]) => (await promisify(execFile)(AOS, words, { env })).stdout;
  const from = performance.now();
  await aos("up", "-d");
  const upMs = Math.round(performance.now() - from);
  const { url, daemon } = JSON.parse(await aos("status", "-o", "json")) as {
    url: string;
    daemon: { pid: number };
  };
  const token = (await aos("token", "create", "--role", "operator", "--name", "bench")).trim();
  return {
    folder,
    env,
    url,
    token,
    pid: daemon.pid,
    upMs,
    aos,
    cpuSeconds: () => cpuSeconds(daemon.pid),
    close: async () => {
      await aos("down");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** Asks the daemon over the network; what is no success is thrown. */
export async function ask<T>({ url, token }: BenchDaemon, path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
