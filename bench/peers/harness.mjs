// Harness: what every peer script shares, so that all of them are measured the same way.
//
//   await measure("name", async (bench) => ({ version, seconds, diskBytes, stored }))
//
// HARNESS-1  Standard output carries one JSON line, a result or `{"peer", "error"}`; all else goes to
//     stderr.
// HARNESS-2  What a script started or created is gone when it exits, also after an error or a signal.
// HARNESS-3  `seconds` spans from the first step asked for to the last one durable; servers are up
//     before.
// HARNESS-4  `stored` is counted in the peer's own store afterwards; a run that lost a step is an error.

import { randomBytes } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const WARM_UP = { agents: 10, steps: 10 };
// Steps of a round of warming up, by however few agents.
const WARM_ROUND = 2000;
const TEARDOWN_LIMIT_MS = 20_000;

export async function measure(peer, run) {
  console.log = console.info = console.error;

  let bench;
  let left;
  const leave = (outcome, code) =>
    (left ??= (async () => {
      await bench?.tearDown();
      process.stdout.write(JSON.stringify({ peer, ...outcome }) + "\n", () => process.exit(code));
    })());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => leave({ error: `ended by ${signal}` }, 1));
  }
  process.on("uncaughtException", (error) => leave({ error: messageOf(error) }, 1));
  process.on("unhandledRejection", (error) => leave({ error: messageOf(error) }, 1));

  try {
    bench = openBench();
    const load = round(loadavg()[0]); // of the machine before we started: a noisy figure shows itself
    const { agents, steps, bytes } = bench;
    const { version, seconds, diskBytes, stored, ...more } = await run(bench);
    if (stored !== agents * steps) {
      throw new Error(`${stored} steps are in the store, ${agents * steps} were acknowledged`);
    }
    const stepsPerSecond = Math.round((agents * steps) / seconds);
    const figures = { seconds: round(seconds), stepsPerSecond, diskBytes };
    await leave({ version, agents, steps, bytes, ...figures, ...more, load }, 0);
  } catch (error) {
    await leave({ error: messageOf(error) }, 1);
  }
}

function openBench() {
  const { agents, steps, bytes, warmSeconds, options } = readArguments();
  const payload = payloads(bytes);
  const dir = mkdtempSync(join(tmpdir(), "aos-peer-"));
  const undo = [() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })];

  return {
    agents,
    steps,
    bytes,
    options,
    dir,
    payload,

    // Undone in reverse order when the script ends, however it ends.
    defer(action) {
      undo.push(action);
    },

    async tearDown() {
      const timer = setTimeout(() => process.exit(1), TEARDOWN_LIMIT_MS);
      for (const action of undo.reverse()) {
        await Promise.resolve().then(action).catch((error) => console.error(messageOf(error)));
      }
      clearTimeout(timer);
    },

    // Runs of the same work fill pools and caches and wake the compiler; they are not counted. A server
    // that is compared has been up for a while: `--warm 3` goes on with it for three seconds.
    async time(work, { beforeTimed = () => {} } = {}) {
      await work({ ...WARM_UP, run: "warm" });
      const until = Date.now() + warmSeconds * 1000;
      for (let round = 0; Date.now() < until; round += 1) {
        const each = Math.max(WARM_UP.steps, Math.ceil(WARM_ROUND / agents));
        await work({ agents, steps: Math.min(steps, each), run: `warm${round}` });
      }
      await beforeTimed();
      const start = process.hrtime.bigint();
      await work({ agents, steps, run: "timed" });
      return Number(process.hrtime.bigint() - start) / 1e9;
    },
  };
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      agents: { type: "string", default: "200" },
      steps: { type: "string", default: "100" },
      bytes: { type: "string", default: "400" },
      warm: { type: "string", default: "0" },
      pool: { type: "string" },
      url: { type: "string" },
      history: { type: "string" },
    },
  });
  const { agents, steps, bytes, warm, ...options } = values;
  return {
    agents: count(agents, "agents"),
    steps: count(steps, "steps"),
    bytes: count(bytes, "bytes"),
    warmSeconds: Number(warm),
    options,
  };
}

export function count(text, name) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number above 0, not ${text}`);
  return number;
}

// Random text, another slice for every step: nothing a store could compress away or keep once.
function payloads(bytes) {
  const pool = randomBytes(1 << 20).toString("base64");
  const room = pool.length - bytes;
  if (room < 1) throw new Error(`--bytes may be at most ${pool.length - 1}`);
  return (agent, step) => {
    const at = (agent * 7919 + step * 104_729) % room;
    return pool.slice(at, at + bytes);
  };
}

export function versionOf(name) {
  const file = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

// The length of the files, not the blocks they hold: RocksDB reserves far more than it has written.
export function fileBytes(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + fileBytes(join(path, name)), 0);
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function each(number, work) {
  return Promise.all(Array.from({ length: number }, (_, index) => work(index)));
}

export function messageOf(error) {
  return String(error?.message ?? error ?? "unknown error").slice(0, 2000);
}

function round(number) {
  return Math.round(number * 1000) / 1000;
}
