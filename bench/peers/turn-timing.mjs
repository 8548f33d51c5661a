// Turn timing: how ours and the peers are timed, so that all of them are timed the same way.
//
//   const wire = listen()                       the fetch that the one who is timed is given
//   await timeTurns(solve, wire)                solve() is one agent, from the question to the answer
//   await measureTurns("ai-sdk", open)          the same for a peer's script: one line of JSON
//
// TURN-TIMING-1  The floor is the same requests, byte for byte, as they were heard while it warmed up,
//     sent with a bare `fetch` and read as text, by the same process to the same server, just before.
// TURN-TIMING-2  The processor's time is that of the whole process, its threads and its garbage too.
// TURN-TIMING-3  An agent that does not come to the answer is an error.

import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { messageOf } from "./harness.mjs";
import { ANSWER, TURNS } from "./turn-work.mjs";

/** A turn is one request, and the call that is made of it. */
const REQUESTS = TURNS + 1;
const WARM_MS = 3000;
const SETTLE_MS = 300;
const SIZES = { at1: { agents: 1, rounds: 60 }, at50: { agents: 50, rounds: 6 } };

/** A fetch that notes the requests of the first agent. */
export function listen() {
  const heard = [];
  const fetch = (url, init) => {
    if (heard.length < REQUESTS) {
      const { method, body } = init;
      heard.push([String(url), { method, body, headers: new Headers(init.headers) }]);
    }
    return globalThis.fetch(url, init);
  };
  return { heard, fetch };
}

/** `part` of the rounds, for who takes long. By size: what each round took, and each of the floor's, in µs per turn. */
export async function timeTurns(solve, { heard }, part = 1) {
  const agent = async () => {
    const said = await solve();
    if (said !== ANSWER) throw new Error(`it answered ${JSON.stringify(said)}`); // TURN-TIMING-3
  };
  const floor = async () => {
    for (const [url, init] of heard) await (await fetch(url, init)).text();
  };

  await agent();
  if (heard.length !== REQUESTS) throw new Error(`${heard.length} requests, not ${REQUESTS}`);
  for (const until = Date.now() + WARM_MS; Date.now() < until; ) {
    await atOnce(SIZES.at50.agents, agent);
    await atOnce(SIZES.at50.agents, floor);
    await agent();
  }

  const figures = {};
  for (const [size, { agents, rounds }] of Object.entries(SIZES)) {
    await setTimeout(SETTLE_MS); // what is done behind the scenes is nobody's floor
    const bare = await roundsOf(rounds, agents, floor);
    figures[size] = { whole: await roundsOf(Math.ceil(rounds * part), agents, agent), bare };
  }
  return figures;
}

const atOnce = (agents, work) => Promise.all(Array.from({ length: agents }, work));

async function roundsOf(rounds, agents, work) {
  const figures = { us: [], cpuUs: [] };
  for (let round = 0; round < rounds; round += 1) {
    const used = process.cpuUsage();
    const from = performance.now();
    await atOnce(agents, work);
    const tookMs = performance.now() - from;
    const { user, system } = process.cpuUsage(used); // TURN-TIMING-2
    figures.us.push((tookMs * 1000) / (agents * REQUESTS));
    figures.cpuUs.push((user + system) / (agents * REQUESTS));
  }
  return figures;
}

/** `open({ origin, wire, way })` gives { version, solve, part?, close? }. */
export async function measureTurns(peer, open) {
  console.log = console.info = console.error;
  const write = (result) => process.stdout.write(JSON.stringify({ peer, ...result }) + "\n");
  try {
    const text = { type: "string" };
    const { origin, way } = parseArgs({ options: { origin: text, way: text } }).values;
    if (origin === undefined) throw new Error("--origin must say where the turn server is");
    const wire = listen();
    const { version, solve, part, close = () => {} } = await open({ origin, wire, way });
    process.once("SIGTERM", () => {
      close();
      process.exit(1);
    });
    try {
      write({ version, figures: await timeTurns(solve, wire, part) });
    } finally {
      await close();
    }
  } catch (error) {
    write({ error: messageOf(error) });
    process.exitCode = 1;
  }
}
