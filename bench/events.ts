// events: 500 who watch everything over SSE, and 200 agents at work: how long after a record was written a
// watcher has it, and what the daemon's processor spends.
//
// An agent asks its model (a script that takes `THINK_MS` to answer), calls a tool, and begins again. The
// watchers are in a process of their own. A delay is from the time that stands in the record, which has whole
// milliseconds, to when its bytes came out of the connection; `cpu` is processors that the daemon kept busy.

import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { inChild } from "./child.ts";
import { ask, startDaemon } from "./daemon.ts";
import { quantile, round } from "./measure.ts";

const WATCHERS = 500;
const AGENTS = 200;
const THINK_MS = 5000;
const WARM_UP_MS = 3 * THINK_MS;
const MEASURED_MS = 20_000;

const files = {
  "config.yaml":
    "http: { rate: { perSecond: 100k, burst: 100k } }\nlog: { level: warn }\nmodels: { scripted/works: { concurrency: 10k } }\n",
  "agents/worker.yaml":
    '{ apiVersion: aos/v1, kind: Agent, name: worker, model: scripted/works, tools: [echo], capabilities: ["model:*:infer", "tool:echo:call"] }\n',
  "scripts/works.yaml": `turns: []\notherwise: { call: [{ tool: echo, args: { text: on } }], delayMs: ${THINK_MS} }\n`,
};

interface Watched {
  readonly delays: { readonly p50: number; readonly p95: number; readonly p99: number };
  readonly deliveries: number;
  readonly ended: number;
}

/** In a process of its own: watches until its time is over. */
export async function runWatchers(options: {
  url: string;
  token: string;
  measuredMs: number;
}): Promise<Watched> {
  const delays: number[] = [];
  let ended = 0;
  const headers = { authorization: `Bearer ${options.token}` };
  const isWanted = { now: true };
  for (let n = 0; n < WATCHERS; n++) {
    const watching = request(
      `${options.url}/api/v1/events`,
      { headers, agent: false },
      (answer) => {
        // A time that is cut in two by the end of a piece is left out: there are enough.
        answer.on("data", (piece: Buffer) => {
          const now = Date.now();
          if (!isWanted.now) return;
          for (let at = piece.indexOf('"at":'); at >= 0; at = piece.indexOf('"at":', at + 5)) {
            const written = Number(piece.toString("latin1", at + 5, at + 18));
            if (written > 1e12) delays.push(now - written);
          }
        });
        answer.on("end", () => (ended += 1));
      },
    );
    watching.on("error", () => {});
    watching.end();
  }
  await sleep(options.measuredMs);
  isWanted.now = false;
  setImmediate(() => process.exit(0)).unref(); // the connections would keep it
  const part = (of: number) => round(quantile(delays, of));
  const spread = { p50: part(0.5), p95: part(0.95), p99: part(0.99) };
  return { delays: spread, deliveries: delays.length, ended };
}

export async function events(): Promise<Record<string, unknown>> {
  const daemon = await startDaemon(files);
  try {
    for (let n = 0; n < AGENTS; n++) {
      await ask(daemon, "/processes", { agent: "worker" });
      await sleep(THINK_MS / AGENTS); // so that they are not all in step
    }
    await sleep(WARM_UP_MS);
    const { url, token } = daemon;
    const quiet = await busy(daemon, () => sleep(THINK_MS));
    let watched: Watched | undefined;
    const cpu = await busy(daemon, async () => {
      watched = await inChild<Watched>("events", { url, token, measuredMs: MEASURED_MS });
    });
    const perSecond = (watched!.deliveries * 1000) / MEASURED_MS;
    return {
      ours: {
        delayMs: watched!.delays,
        cpu: round(cpu, 2),
        cpuUnwatched: round(quiet, 2),
        eventsPerSecond: round(perSecond / WATCHERS),
        deliveriesPerSecond: round(perSecond),
        letGo: watched!.ended,
      },
      watchers: WATCHERS,
      agents: AGENTS,
      unit: "ms from a record's time to a watcher; cpu: processors kept busy by the daemon",
    };
  } finally {
    await daemon.close();
  }
}

/** How many processors the daemon kept busy meanwhile. */
async function busy(daemon: { cpuSeconds(): number }, during: () => Promise<unknown>) {
  const [since, used] = [performance.now(), daemon.cpuSeconds()];
  await during();
  return ((daemon.cpuSeconds() - used) * 1000) / (performance.now() - since);
}
