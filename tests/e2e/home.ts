// A home of a test's own, and the real command line on it.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { Client as AosClient } from "@aos/client";
import { connectTo, endpointOf, isRunning } from "@aos/cli/parts";
import { readConfig, homeOf } from "@aos/daemon/parts";
import { newHomeDatabase } from "../helpers/postgres-homes.ts";
import { checkReference } from "../helpers/reference.ts";
import { openBooks } from "../reference/stored.ts";
import { AnswerBook } from "./answer-book.ts";
import { PolicyDiary } from "./policy-diary.ts";

export const AOS = fileURLToPath(new URL("../../cli/bin/aos", import.meta.url));
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, read as JSON. */
  json(): unknown;
  /** The error on standard error, read as JSON. */
  error(): { code: string; message: string; hint: string | null };
}

export interface TestHome {
  readonly folder: string;
  readonly env: Record<string, string | undefined>;
  aos(...words: string[]): Promise<Ran>;
  /** Runs it with standard input or in another folder. */
  aosWith(given: { stdin?: string; cwd?: string; env?: object }, ...words: string[]): Promise<Ran>;
  start(...words: string[]): ChildProcess;
  /** The same daemon without a program in between, for what is asked again and again. */
  readonly client: AosClient;
  /** A line as it is typed, at the top of the repository or in another folder. */
  shell(line: string, given?: { cwd?: string; env?: object }): Promise<Ran>;
  /** Its journals are not for the reference: the test has spoilt the store. */
  spoilt: boolean;
  /** Ends the daemon, whatever it does, judges its answers and its journals, and removes the home. */
  remove(): Promise<void>;
}

export function createTestHome(more: Record<string, string> = {}): TestHome {
  const above = mkdtempSync(join(tmpdir(), "aos-e2e-"));
  const folder = join(above, "home");
  const book = new AnswerBook(join(above, "answers"));
  const env = {
    ...process.env,
    AOS_HOME: folder,
    NO_COLOR: "1",
    ...newHomeDatabase(),
    ...book.env,
    ...more,
  };
  const diary = new PolicyDiary(env);
  const start = (words: string[], given: { cwd?: string; env?: object } = {}, program = AOS) => {
    const cwd = given.cwd ?? ROOT;
    diary.look(cwd);
    const child = spawn(program, words, { cwd, env: { ...env, ...given.env } });
    child.once("close", () => diary.look(cwd));
    return child;
  };
  return {
    spoilt: false,
    folder,
    env,
    aos: (...words) => finish(start(words)),
    aosWith: ({ stdin, ...given }, ...words) => finish(start(words, given), stdin),
    start: (...words) => start(words),
    client: connectTo(endpointOf(env), { startsDaemon: false, note: () => {} }),
    shell: (line, given) => finish(start(["-c", `exec </dev/null; ${line}`], given, "bash"), null),
    async remove() {
      const pid = daemonPid(folder);
      await finish(start(["down"]));
      if (pid !== undefined && isRunning(pid)) await killedByPid(pid);
      book.check({ hadDaemon: existsSync(homeOf(env).audit) });
      if (!this.spoilt) await judge(env, diary);
      rmSync(above, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** It may end by itself meanwhile; afterwards it writes no more. */
async function killedByPid(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return;
  }
  while (isRunning(pid)) await sleep(10);
}

/** What the daemons of a home have left, where there was one. */
async function judge(env: TestHome["env"], diary: PolicyDiary): Promise<void> {
  const home = homeOf(env);
  if (!existsSync(home.audit)) return;
  const { database } = readConfig(home, env);
  const books = await openBooks(
    database === undefined ? { file: home.database } : { url: database },
  );
  try {
    const loads = (await books.ledger())
      .filter(({ what, by }) => what === "policy.load" && by !== "daemon")
      .map(({ at }) => Date.parse(at));
    await checkReference(books, diary.reigns(loads));
  } finally {
    await books.close();
  }
}

/** What its database has, as it lies on the disk or as a server hands it out. */
export async function storedBytes({ folder, env }: TestHome): Promise<string> {
  const { AOS_DATABASE_URL: connectionString } = env;
  if (connectionString === undefined) return readFileSync(join(folder, "aos.db"), "latin1");
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>(
      "select (select coalesce(string_agg(secret::text, ' '), '') from secret) || (select coalesce(string_agg(ledger::text, ' '), '') from ledger) as text",
    );
    return rows[0]!.text;
  } finally {
    await client.end();
  }
}

export function daemonPid(folder: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, "daemon.json"), "utf8")) as { pid: number }).pid;
  } catch {
    return undefined;
  }
}

/** `kill -9`, over when the daemon is gone: until then a connection to it may still be accepted. */
export async function killDaemon(folder: string): Promise<void> {
  const pid = daemonPid(folder);
  if (pid === undefined) throw new Error(`no daemon has ${folder}`);
  await killedByPid(pid);
}

export function finish(child: ChildProcess, stdin: string | null = ""): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  if (stdin !== null) child.stdin?.end(stdin);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({
        code: code ?? -1,
        stdout,
        stderr,
        json: () => JSON.parse(stdout) as unknown,
        error: () => (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { error: never }).error,
      }),
    );
  });
}
