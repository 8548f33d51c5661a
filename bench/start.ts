// start: how long a command takes to begin and end, `aos` beside other command lines of npm; and how long
// `aos up` takes until the daemon is ready.
//
//   ours     `aos --version`; `aos ps` with a daemon that is up; `aos up -d` on a home that was used before
//   codex    `codex --version` (tests/peers)
//   mastra   `mastra --version` (bench/peers)
//
// Each is run in turn, so that other work on the machine is everybody's. `wallMs` is by the clock on the wall,
// `cpuMs` what the processor spent on the command; for `up` that is the command itself, without the daemon.

import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AOS } from "./daemon.ts";
import { benchFolder, median, quantile, round } from "./measure.ts";
import { install } from "./peers/install.mjs";

const RUNS = 21;
const UP_RUNS = 11;
const WANTED = { upMs: 1000, psMs: 150 };

interface Took {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Times a command with the shell's own clock, which knows what its children used. */
async function time(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Took> {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>&1';
  const { stderr } = await run("bash", ["-c", script, "bash", ...command], { env });
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}

function figures(took: readonly Took[]) {
  const [first, ...rest] = took; // the first fills caches
  const of = (measure: keyof Took) =>
    (rest.length > 0 ? rest : [first!]).map((one) => one[measure]);
  return {
    wallMs: round(median(of("wallMs"))),
    wallP95Ms: round(quantile(of("wallMs"), 0.95)),
    cpuMs: round(median(of("cpuMs"))),
  };
}

export async function start(): Promise<Record<string, unknown>> {
  const mastra = at("./peers/node_modules/.bin/mastra");
  await install().catch((error: unknown) => console.error(String(error)));
  const folder = benchFolder();
  const env = { ...process.env, AOS_HOME: join(folder, "home"), AOS_HTTP: "127.0.0.1:0" };
  const commands: Record<string, readonly string[]> = {
    version: [AOS, "--version"],
    ps: [AOS, "ps"],
    codex: [at("../tests/peers/node_modules/.bin/codex"), "--version"],
    mastra: [mastra, "--version"],
  };
  const took: Record<string, Took[]> = { up: [] };
  try {
    for (let n = 0; n < UP_RUNS; n++) {
      took["up"]!.push(await time([AOS, "up", "-d"], env));
      await run(AOS, ["down"], { env });
    }
    await run(AOS, ["up", "-d"], { env });
    for (let n = 0; n < RUNS; n++)
      for (const [name, command] of Object.entries(commands))
        if (existsSync(command[0]!)) (took[name] ??= []).push(await time(command, env));
  } finally {
    await run(AOS, ["down"], { env });
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (name: string) =>
    took[name] === undefined ? { error: "not installed" } : figures(took[name]);
  return {
    ours: { version: of("version"), ps: of("ps"), up: of("up") },
    codex: { version: of("codex") },
    mastra: { version: of("mastra") },
    limits: WANTED,
    unit: "ms, medians; wall and processor time of one command",
  };
}
