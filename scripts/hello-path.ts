// `npm run -s hello-path [-- FOLDER] [-o list]`: how many source files `aos run examples/hello` passes through in
// the daemon, of this repository or of another checkout in FOLDER.
//
// The daemon is up before. A file counts when one of its functions is called in the daemon's main thread between
// the first request of `aos run` and the last byte of its answer, in each of several runs: what only happens to
// fall into one of them, a timer or the signed log, is not on the path. The body of a module is no function.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: "string", short: "o", default: "count" } },
});
/** Each with a daemon of its own. */
const RUNS = 4;
const root = resolve(positionals[0] ?? fileURLToPath(new URL("..", import.meta.url)));
const home = mkdtempSync(join(tmpdir(), "aos-hello-"));
const out = join(home, "calls.json");

function aos(args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { stdout, stderr, status } = spawnSync(join(root, "cli/bin/aos"), args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, AOS_HOME: home, ...env },
  });
  if (status !== 0) throw new Error(`aos ${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

function startDaemon(): number {
  const hook = new URL("./hello-path/coverage.mjs", import.meta.url);
  hook.searchParams.set("out", out);
  aos(["up", "-d"], { NODE_OPTIONS: `--import ${hook.href}` });
  return (JSON.parse(aos(["status", "-o", "json"])) as { daemon: { pid: number } }).daemon.pid;
}

/** By file: how many of its functions were called. */
async function called(pid: number): Promise<[file: string, functions: number][]> {
  process.kill(pid, "SIGUSR2");
  for (const since = Date.now(); !existsSync(out); await sleep(50))
    if (Date.now() - since > 60_000) throw new Error("the daemon writes nothing");
  await sleep(200); // until it is whole
  const calls = JSON.parse(readFileSync(out, "utf8")) as Record<string, object>;
  const ours = pathToFileURL(`${root}/`).href;
  return Object.entries(calls)
    .filter(([url]) => url.startsWith(ours) && !/\/node_modules\/|\/hello-path\//.test(url))
    .map(([url, functions]) => [url.slice(ours.length), Object.keys(functions).length]);
}

async function oneRun(): Promise<Map<string, number>> {
  const pid = startDaemon();
  try {
    process.kill(pid, "SIGUSR2");
    await sleep(200);
    aos(["run", "examples/hello", "Good morning"]);
    return new Map(await called(pid));
  } finally {
    aos(["down"]);
    rmSync(home, { recursive: true, force: true });
  }
}

const runs: Map<string, number>[] = [];
for (let run = 0; run < RUNS; run++) runs.push(await oneRun());
const files = [...runs[0]!].filter(([file]) => runs.every((run) => run.has(file)));
if (values.output === "list")
  for (const [file, count] of files.toSorted()) console.log(`${count}\t${file}`);
console.log(`${files.length} files`);
