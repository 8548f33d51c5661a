// Decide: what the policy engines share: what they are given, how they are checked, how they are timed.
//
//   await measureDecisions("cedar", async () => ({ version, decide, saysPaths, unsaid }))
//
//   decide      { requestOf, allows }: the engine's own form of a request, and its answer to that
//   also        other ways to ask the same engine, by name
//   saysPaths   false for an engine that has no words for "a path below this one"
//   unsaid      what could not be said, for people
//
// DECIDE-1  Standard output carries one JSON line, a result or `{"peer", "error"}`.
// DECIDE-2  An engine that refuses a request of GATE-WORK-1, or allows a refusal that it has words for,
//     is an error.
// DECIDE-3  Only the decision is timed. The engine's own form of a request is made before.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { refusals, requests } from "./gate-work.mjs";
import { count, messageOf } from "./harness.mjs";
import { holdToOneCore } from "./one-core.mjs";

export async function measureDecisions(peer, open) {
  console.log = console.info = console.error;
  try {
    const { values } = parseArgs({ options: { calls: { type: "string", default: "20000" } } });
    const calls = count(values.calls, "calls");
    const load = Math.round(loadavg()[0] * 100) / 100;
    const oneCore = holdToOneCore();
    const { version, decide, saysPaths = true, unsaid, also = {} } = await open();
    const more = {};
    for (const [name, other] of Object.entries(also)) more[name] = await timed(other, calls, saysPaths);
    const figures = await timed(decide, calls, saysPaths);
    write({ peer, version, calls, ...figures, ...more, unsaid, oneCore, load });
  } catch (error) {
    write({ peer, error: messageOf(error) });
    process.exitCode = 1;
  }
}

const write = (result) => process.stdout.write(JSON.stringify(result) + "\n");

async function timed({ requestOf, allows }, calls, saysPaths) {
  const asked = requests.map(requestOf);
  mustAgree({ requestOf, allows }, saysPaths);
  const took = new Float64Array(calls);
  for (let call = -Math.ceil(calls / 4); call < calls; call += 1) {
    const request = asked[(call + calls) % asked.length];
    const from = performance.now();
    const isAllowed = allows(request);
    const us = (performance.now() - from) * 1000;
    if (!isAllowed) throw new Error("it refused what it had allowed");
    if (call >= 0) took[call] = us;
    if (call % 1000 === 0) await new Promise(setImmediate); // so that a signal is heard
  }
  took.sort();
  const at = (part) => Math.round(took[Math.min(calls - 1, Math.floor(calls * part))] * 100) / 100;
  return { medianUs: at(0.5), p99Us: at(0.99) };
}

function mustAgree({ requestOf, allows }, saysPaths) {
  for (const request of requests) {
    if (!allows(requestOf(request))) throw new Error(`it refuses ${JSON.stringify(request.args)}`);
  }
  for (const request of refusals) {
    if (request.args.path.includes("/private/") && !saysPaths) continue;
    if (allows(requestOf(request))) throw new Error(`it allows ${JSON.stringify(request)}`);
  }
}

/** What a rule asks of a request, as clauses: what it speaks of, what has to hold, what came before. */
export function clausesOf({ id, of, when = [], after }) {
  return [...spokenOf(of), ...(after === undefined ? [] : [["tags", "has", markOf(id)]]), ...when];
}

function spokenOf(selector) {
  if (selector === "*") return [];
  const [kind, resource, verbs] = selector.split(":");
  if (resource === undefined) return [["call", "==", kind]];
  if (kind === "tool") return [resource.endsWith("*") ? ["tool", "below", resource.slice(0, -1)] : ["tool", "==", resource]];
  if (kind === "sink") return [["sinks", "has", resource]];
  if (kind === "effect") return [["effect", "==", resource]];
  if (kind === "http") return [["resource.kind", "==", "http"], ["resource.host", "==", resource.split("/")[0]]];
  return [
    ["resource.kind", "==", kind],
    ["resource.verb", "in", verbs.split(",")],
    ["resource.path", "below", resource.slice(0, -2)],
  ];
}

/** A name that every engine can read. */
const markOf = (id) => id.replaceAll("-", "_");

/** A request with everything that a clause can name. The host has to do this for an engine. */
export function factsOf({ args, atMs, tags, sinks, ...rest }) {
  const at = new Date(atMs);
  return {
    ...rest,
    args,
    tags: Object.fromEntries(tags.map((tag) => [markOf(tag), true])),
    sinks: Object.fromEntries(sinks.map((sink) => [sink, true])),
    resource: { kind: "file", path: args.path, verb: "read", host: "" },
    time: { hour: at.getUTCHours(), date: at.toISOString().slice(0, 10) },
  };
}
