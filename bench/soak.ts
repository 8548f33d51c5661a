// soak: a daemon under a steady mixed load, and whether it stays as it is: memory, file handles, the size
// of the database and how long things take, sampled all the while.
//
//   npm run bench -- soak --minutes 30 [--out FOLDER] [--no-pauses]
//
// The load: short runs with a tool, persistent agents that are invoked and unloaded in between, programs in
// the sandbox where there is one, and watchers that come and go. It ends by itself, stops the daemon that it
// started, and writes samples.csv, curve.svg and soak.md into FOLDER (a new one unless said). With
// --no-pauses the runs and invokes follow each other at once: minutes stand for hours.
//
// The first minute is left out: the daemon warms up. Steady means that the last part of the run is not over
// STEADY times the first, for each of them: five minutes each, or a third of a shorter run.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, startDaemon, type BenchDaemon } from "./daemon.ts";
import { median, quantile, round } from "./measure.ts";
import { curveOf, reportOf, type Sample } from "./soak-report.ts";
import { optionOf } from "./option.ts";

const SAMPLE_MS = 10_000;
/** Those that are always in memory, and those that are unloaded between two invokes. */
const RESIDENTS = { busy: 6, rare: 2 };

const agent = (name: string, more: string) =>
  `{ apiVersion: aos/v1, kind: Agent, name: ${name}, model: scripted/says-${name}, ${more} }\n`;

const files = {
  "config.yaml":
    "unloadAfter: 2s\nhttp: { rate: { perSecond: 100k, burst: 100k } }\nlog: { level: warn }\nretention: { maxRuns: 500, maxResults: 1000 }\n",
  "agents/greeter.yaml": agent(
    "greeter",
    'tools: [echo], capabilities: ["model:*:infer", "tool:echo:call"]',
  ),
  "scripts/says-greeter.yaml":
    "turns: [{ call: [{ tool: echo, args: { text: hi } }] }, { say: hello }]\n",
  // A window, as every model has one: what is older is summed up.
  "agents/resident.yaml": agent(
    "resident",
    'persistent: true, context: { window: 4k }, capabilities: ["model:*:infer"]',
  ),
  "scripts/says-resident.yaml": "turns: [{ when: {}, say: here }]\n",
  "agents/worker.yaml": agent(
    "worker",
    'tools: [shell.execute], capabilities: ["model:*:infer", "tool:shell.execute:call", "shell:*:exec"]',
  ),
  "scripts/says-worker.yaml":
    "turns: [{ call: [{ tool: shell.execute, args: { command: 'true' } }] }, { say: done }]\n",
};

export async function soak(args: readonly string[]): Promise<Record<string, unknown>> {
  const minutes = Number(optionOf(args, "--minutes") ?? 30);
  const pause = args.includes("--no-pauses") ? 0 : 1;
  if (!(minutes > 0)) throw new Error("--minutes wants a number");
  const out = optionOf(args, "--out") ?? mkdtempSync(join(tmpdir(), "aos-soak-"));
  mkdirSync(out, { recursive: true });
  const daemon = await startDaemon(files);
  const until = Date.now() + minutes * 60_000;
  const took = { run: [] as number[], invoke: [] as number[] };
  const failures = new Map<string, number>();
  const samples: Sample[] = [];
  const goesOn = () => Date.now() < until;
  const repeat = async (what: () => Promise<unknown>, pauseMs: number) => {
    while (goesOn()) {
      await what().catch((error: unknown) => {
        const text = String(error).slice(0, 200);
        failures.set(text, (failures.get(text) ?? 0) + 1);
      });
      await sleep(pauseMs);
    }
  };
  const timed = async (into: number[], what: () => Promise<unknown>) => {
    const since = performance.now();
    await what();
    into.push(performance.now() - since);
  };
  try {
    const residents = async (count: number) => {
      const pids: string[] = [];
      for (let n = 0; n < count; n++)
        pids.push((await ask<{ pid: string }>(daemon, "/processes", { agent: "resident" })).pid);
      return pids;
    };
    const run = (name: string) => async () => {
      const { pid } = await ask<{ pid: string }>(daemon, "/processes", { agent: name });
      const { state, error } = await get(daemon, `/processes/${pid}/wait?timeoutMs=60000`);
      if (state !== "completed") throw new Error(`${name} ${state}: ${error?.message}`);
    };
    const invokeOf = (pids: readonly string[]) => {
      let turn = 0;
      return () => {
        const pid = pids[turn++ % pids.length]!;
        return ask(daemon, `/processes/${pid}/invoke`, { input: `${turn}`, timeoutMs: 60_000 });
      };
    };
    const busy = invokeOf(await residents(RESIDENTS.busy));
    const rare = invokeOf(await residents(RESIDENTS.rare));
    const sample = async () => {
      samples.push(sampleOf(daemon, samples.length * SAMPLE_MS, took));
      took.run = [];
      took.invoke = [];
    };
    await Promise.all([
      repeat(() => timed(took.run, run("greeter")), 20 * pause),
      repeat(() => timed(took.run, run("greeter")), 20 * pause),
      repeat(() => timed(took.invoke, busy), 100 * pause),
      // Slower than they are unloaded: each time one is woken.
      repeat(() => timed(took.invoke, rare), 3000),
      repeat(run("worker"), 1000),
      repeat(() => watchFor(daemon, 1500), 500),
      repeat(() => watchFor(daemon, 5000), 100),
      repeat(async () => (await sleep(SAMPLE_MS), sample()), 0),
    ]);
  } finally {
    await daemon.close();
  }
  const report = reportOf(samples, SAMPLE_MS, failures);
  writeFileSync(join(out, "samples.csv"), csvOf(samples));
  writeFileSync(join(out, "curve.svg"), curveOf(samples));
  writeFileSync(join(out, "soak.md"), report.text);
  return { ...report.result, minutes, out };
}

interface Ended {
  readonly state: string;
  readonly error: { readonly message: string } | null;
}

async function get({ url, token }: BenchDaemon, path: string): Promise<Ended> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1${path}`, { headers });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Ended;
}

/** Somebody who watches all events for a while, and leaves. */
async function watchFor({ url, token }: BenchDaemon, ms: number): Promise<void> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/events`, { headers, signal: stop.signal });
  const reading = answer.arrayBuffer().catch(() => {}); // it is stopped
  await sleep(ms);
  stop.abort();
  await reading;
}

function sampleOf(
  { folder, pid }: BenchDaemon,
  atMs: number,
  took: { readonly run: readonly number[]; readonly invoke: readonly number[] },
): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const database = readdirSync(folder).filter((name) => name.startsWith("aos.db"));
  const bytes = database
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
  const spread = (values: readonly number[]) =>
    values.length === 0
      ? { p50: null, p95: null }
      : { p50: round(median(values), 1), p95: round(quantile(values, 0.95), 1) };
  return {
    seconds: Math.round(atMs / 1000),
    rssMb: round(rssKb / 1024, 1),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    databaseMb: round(bytes / 1024 / 1024, 1),
    runs: took.run.length,
    invokes: took.invoke.length,
    run: spread(took.run),
    invoke: spread(took.invoke),
  };
}

const csvOf = (samples: readonly Sample[]): string =>
  [
    "seconds,rss_mb,handles,database_mb,runs,invokes,run_p50_ms,run_p95_ms,invoke_p50_ms,invoke_p95_ms",
    ...samples.map(({ run, invoke, ...one }) =>
      [...Object.values(one), run.p50, run.p95, invoke.p50, invoke.p95].join(","),
    ),
    "",
  ].join("\n");
