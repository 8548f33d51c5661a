// many: what a home with 100,000 processes (60,000 ended, 40,000 asleep) costs whoever looks at it and starts more.
//
//   lists    the requests of `aos ps` and of the page's first screen, and of lists that few rows fit
//   ps       `aos ps` as a command, with an empty home beside it
//   spawns   2,000 at once: through the library, over the network, through the socket
//   boot     of a kernel with 10,000 that wait, and of the daemon with the 100,000
//
// `ms` is by the clock on the wall, `cpuMs` the processor time of the one that is asked, all its threads. On a
// machine with other work the second is the one to look at.

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { bootKernel } from "../kernel/src/index.ts";
import { inChild } from "./child.ts";
import { AOS, startDaemon, type BenchDaemon } from "./daemon.ts";
import { homeOptions, SECOND_TENANT, workerManifest, type HomeSize } from "./many-home.ts";
import { benchFolder, median, quantile, round } from "./measure.ts";
import { optionOf } from "./option.ts";

const ROWS = 100_000;
const ENDED_PART = 0.6;
const WAITING = 10_000;
const SPAWNS = 2_000;
const ASKED = 40;
const LIVE = "pending,running,waiting,paused";

const config = `http: { rate: { perSecond: 100k, burst: 100k } }
log: { level: warn }
retention: { maxRuns: 10000k, maxBytes: 100GiB, maxAge: 1000d }
`;
const agent = `{ apiVersion: aos/v1, kind: Agent, name: greeter, model: scripted/greets, capabilities: ["model:*:infer"] }\n`;
const script = "turns: [{ say: hello }]\n";

/** The page asks for the first four at once, once its files are there; `ps` for the fifth. */
const lists: Record<string, string> = {
  me: "/api/v1/session",
  status: "/api/v1/status",
  runs: "/api/v1/processes?limit=200",
  questions: "/api/v1/questions",
  ps: `/api/v1/processes?limit=1001&states=${LIVE}`,
  processes: "/api/v1/processes",
  "of a tenant": `/api/v1/processes?tenant=${SECOND_TENANT}&limit=200`,
  failed: "/api/v1/processes?states=failed",
};

interface Took {
  readonly ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

async function askOften(daemon: BenchDaemon, path: string): Promise<Took> {
  const headers = { authorization: `Bearer ${daemon.token}` };
  const once = async () => {
    const from = performance.now();
    const answer = await fetch(daemon.url + path, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    return performance.now() - from;
  };
  for (let n = 0; n < 5; n++) await once();
  const cpuBefore = daemon.cpuSeconds();
  const times: number[] = [];
  for (let n = 0; n < ASKED; n++) times.push(await once());
  const cpuMs = ((daemon.cpuSeconds() - cpuBefore) * 1000) / ASKED;
  return {
    ms: round(median(times), 1),
    p99Ms: round(quantile(times, 0.99), 1),
    cpuMs: round(cpuMs, 1),
  };
}

/** All are sent before the first is answered. */
async function postAtOnce(daemon: BenchDaemon, door: "network" | "socket"): Promise<Took> {
  const { port, hostname } = new URL(daemon.url);
  const keeper = new Agent({ keepAlive: true, maxSockets: 256 });
  const place =
    door === "network" ? { port, hostname } : { socketPath: join(daemon.folder, "aos.sock") };
  const headers = { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ agent: "greeter" });
  const once = () =>
    new Promise<number>((resolve, reject) => {
      const options = {
        ...place,
        agent: keeper,
        method: "POST",
        path: "/api/v1/processes",
        headers,
      };
      const asking = request(options, (answer) => {
        answer.resume();
        answer.on("end", () => resolve(answer.statusCode!));
      });
      asking.on("error", reject);
      asking.end(body);
    });
  const cpuBefore = daemon.cpuSeconds();
  const from = performance.now();
  const statuses = await Promise.all(Array.from({ length: SPAWNS }, once));
  const ms = performance.now() - from;
  const cpuMs = (daemon.cpuSeconds() - cpuBefore) * 1000;
  keeper.destroy();
  const refused = statuses.filter((status) => status !== 200);
  if (refused.length > 0) throw new Error(`${refused.length} were refused: ${refused[0]}`);
  return { ms: round(ms), p99Ms: round(ms), cpuMs: round(cpuMs) };
}

/** Those that were spawned through one door run while the next is timed, if nobody waits for their ends. */
async function untilEnded(daemon: BenchDaemon): Promise<void> {
  const path = `/api/v1/processes?limit=${SPAWNS}&states=${LIVE}`;
  const headers = { authorization: `Bearer ${daemon.token}` };
  for (let isEnded = false; !isEnded;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const newest = await (await fetch(daemon.url + path, { headers })).text();
    isEnded = !newest.includes('"agent":"greeter"');
  }
}

async function psOften(env: NodeJS.ProcessEnv): Promise<Omit<Took, "p99Ms">> {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$0" ps >/dev/null 2>&1';
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let n = 0; n < 12; n++) {
    const { stderr } = await promisify(execFile)("bash", ["-c", script, AOS], { env });
    const [wall = 0, user = 0, system = 0] = stderr.trim().split(" ").map(Number);
    walls.push(wall * 1000);
    cpus.push((user + system) * 1000);
  }
  return { ms: round(median(walls)), cpuMs: round(Math.min(...cpus)) };
}

/** In a process of its own. */
export async function runManySpawns({ folder }: { folder: string }) {
  const kernel = await bootKernel(homeOptions(folder));
  const atOnce = async () => {
    const cpu = process.cpuUsage();
    const from = performance.now();
    await Promise.all(
      Array.from({ length: SPAWNS }, () => kernel.spawn({ manifest: workerManifest })),
    );
    const { user, system } = process.cpuUsage(cpu);
    return { ms: round(performance.now() - from), cpuMs: round((user + system) / 1000) };
  };
  const cold = await atOnce();
  const warm = await atOnce();
  await kernel.close();
  return { cold, warm };
}

/** In a process of its own. */
export async function runManyBoot({ folder }: { folder: string }) {
  const cpu = process.cpuUsage();
  const from = performance.now();
  const kernel = await bootKernel(homeOptions(folder));
  const { states } = await kernel.status();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - from;
  await kernel.close();
  return { waiting: states.waiting, ms: round(ms), cpuMs: round((user + system) / 1000) };
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = benchFolder();
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const boot = () =>
  withFolder(async (folder) => {
    await inChild("many-home", { folder, ended: 0, sleeping: WAITING } satisfies HomeSize);
    return inChild<object>("many-boot", { folder });
  });

export async function many(args: readonly string[]): Promise<Record<string, unknown>> {
  const rows = Number(optionOf(args, "--rows") ?? ROWS);
  const ended = Math.round(rows * ENDED_PART);
  const spawns: Record<string, unknown> = await withFolder((folder) =>
    inChild<Record<string, unknown>>("many-spawns", { folder }),
  );
  const daemon = await startDaemon(
    { "config.yaml": config, "agents/greeter.yaml": agent, "scripts/greets.yaml": script },
    (folder) => inChild("many-home", { folder, ended, sleeping: rows - ended } satisfies HomeSize),
  );
  const empty = await startDaemon({ "config.yaml": config });
  try {
    const took: Record<string, Took> = {};
    for (const [name, path] of Object.entries(lists)) took[name] = await askOften(daemon, path);
    const ps = { many: await psOften(daemon.env), empty: await psOften(empty.env) };
    for (const door of ["network", "socket"] as const) {
      spawns[door] = await postAtOnce(daemon, door);
      await untilEnded(daemon);
    }
    return {
      ours: { lists: took, ps, spawns, boot: await boot(), up: { ms: daemon.upMs } },
      limits: { listMs: 50, spawnsMs: 2000, bootMs: 3000 },
      rows,
      unit: "ms by the wall and of the processor",
    };
  } finally {
    await daemon.close();
    await empty.close();
  }
}
