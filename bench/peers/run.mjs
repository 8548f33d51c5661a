// Run: one peer, one workload, one result.
//
//   const { stepsPerSecond } = await runPeer("dbos", { agents: 200, steps: 100, bytes: 400 });
//   node bench/peers/run.mjs dbos --agents 200 --steps 100 --bytes 400
//   node bench/peers/run.mjs cedar --calls 20000
//
// A peer that cannot be installed, fails or takes too long is a result too: `{ peer, error }`.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { install } from "./install.mjs";

export const peers = ["restate", "dbos", "langgraph", "bare", "bullmq", "pg-boss", "search", "cedar", "casbin", "agt", "turn-ai-sdk", "turn-langgraph", "turn-mastra"];

const TIME_LIMIT_MS = 300_000;
const GRACE_MS = 30_000; // for the script to stop its servers and remove its files

/** The options go to the script as they are. */
export async function runPeer(name, { timeLimitMs = TIME_LIMIT_MS, ...options }) {
  try {
    if (!peers.includes(name)) throw new Error(`no such peer; there are ${peers.join(", ")}`);
    if (name !== "bare") await install(); // bare needs nothing but Node
    return await runScript(name, options, timeLimitMs);
  } catch (error) {
    return { peer: name, error: error.message };
  }
}

// The script leads a process group of its own, so that nothing of it outlives the time limit.
async function runScript(name, options, timeLimitMs) {
  const flags = Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.mjs`), ...flags], {
    cwd: import.meta.dirname,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const signalGroup = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // the group is gone
    }
  };
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);

  let late = false;
  let lastResort;
  const limit = setTimeout(() => {
    late = true;
    child.kill("SIGTERM");
    lastResort = setTimeout(() => signalGroup("SIGKILL"), GRACE_MS);
  }, timeLimitMs);

  try {
    const { output, ending } = await outcomeOf(child);
    if (late) return { peer: name, error: `not done within ${timeLimitMs / 1000} s` };
    const line = output.trimEnd().split("\n").at(-1);
    if (!line.startsWith("{")) throw new Error(`the script ended with ${ending} and no result`);
    return JSON.parse(line);
  } finally {
    clearTimeout(limit);
    clearTimeout(lastResort);
    process.off("exit", endWithUs);
    signalGroup("SIGKILL");
  }
}

function outcomeOf(child) {
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ output, ending: signal ?? `code ${code}` }));
  });
}

if (import.meta.main) {
  const { parseArgs } = await import("node:util");
  const text = { type: "string" };
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { agents: text, steps: text, bytes: text, calls: text, pool: text, history: text, engine: text, rows: text, dims: text, queries: text },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

  const result = await runPeer(positionals[0] ?? "", values);
  console.log(JSON.stringify(result));
  if ("error" in result) process.exitCode = 1;
}
