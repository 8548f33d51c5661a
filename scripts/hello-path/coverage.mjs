// Loaded into a daemon by `node --import` (scripts/hello-path.ts). Between two SIGUSR2 it collects which functions
// are called from the start of the first HTTP request to the end of the last answer, in the main thread; then it
// writes them to the file that its own address names: `?out=FILE`.

import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const out = new URL(import.meta.url).searchParams.get("out");

/** By file and function: how often it was called. */
const calls = {};
let isCounting = false;
let hasBegun = false;

function begin(session) {
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const take = (use) =>
    session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      use?.(taken.result);
    });
  subscribe("http.server.request.start", () => {
    if (isCounting && !hasBegun) take(); // what was called before is not counted
    hasBegun = isCounting;
  });
  subscribe("http.server.response.finish", () => take(hasBegun ? add : undefined));
  process.on("SIGUSR2", () => {
    if (isCounting) writeFileSync(out, JSON.stringify(calls));
    isCounting = !isCounting;
  });
}

function add(scripts) {
  for (const { url, functions } of scripts)
    for (const { functionName, ranges } of functions) {
      const isBody = functionName === "" && ranges[0].startOffset === 0;
      if (ranges[0].count === 0 || isBody || !url.startsWith("file:")) continue;
      const of = (calls[url] ??= {});
      const name = `${functionName}@${ranges[0].startOffset}`;
      of[name] = (of[name] ?? 0) + ranges[0].count;
    }
}

if (isMainThread && out !== null) begin(new Session());
