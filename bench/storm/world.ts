// World of the storm: a daemon of some checkout on one home, and the file outside in which effects are seen.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface World {
  readonly home: string;
  readonly witness: string;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string;
  /** Of an operator; known once the first daemon is up. */
  token: string;
  /** The checkout whose `aos` is used; an upgrade changes it. */
  checkout: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LONGEST_MS = 300_000;

/** A command line of the world's checkout; never throws for an exit code. */
export const aos = (world: World, ...words: string[]): Promise<Ran> => run(world, words, world.env);

/** The same over the network, which never starts a daemon. */
export const remoteAos = (world: World, ...words: string[]): Promise<Ran> =>
  run(world, words, { ...world.env, AOS_URL: world.url, AOS_TOKEN: world.token });

async function run(world: World, words: string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(
      join(world.checkout, "cli", "bin", "aos"),
      words,
      { env, maxBuffer: 1 << 28, timeout: LONGEST_MS },
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: number } & Partial<Ran>;
    return { code: typeof code === "number" ? code : -1, stdout, stderr: stderr || String(error) };
  }
}

export async function mustAos(world: World, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await aos(world, ...words);
  if (code !== 0) throw new Error(`aos ${words.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

export function daemonPid({ home }: World): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}

/** `kill -9`, and the end of it. */
export async function killDaemon(world: World): Promise<void> {
  const pid = daemonPid(world);
  if (pid === undefined) throw new Error("there is no daemon to kill");
  process.kill(pid, "SIGKILL");
  while (existsSync(`/proc/${pid}`) && !isZombie(pid)) await pause(10);
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/** What happened outside, each line with how often it did. */
export function seen({ witness }: World): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(witness)) return counts;
  for (const line of readFileSync(witness, "utf8").split("\n").filter(Boolean))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
