// Asks, as a caller of tenant b, for what is tenant a's: by every operation that names a process or a tenant. The
// lines that it is given are others while it runs. Prints the operations that were not told that there is none.
//
//   node tests/attack/tenancy.program.ts '[{"file": "…", "line": "…", "becomes": "…"}]'

import { registerHooks } from "node:module";
import type { Caller, GatewayContext } from "@aos/daemon/gateway";
import { echoEval } from "../e2e/echo-eval.ts";
import type { Line } from "./openings/opening.ts";

const lines = JSON.parse(process.argv[2]!) as readonly Line[];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const here = lines.filter(({ file }) => url.endsWith(`/${file}`));
    if (here.length === 0) return loaded;
    let source = Buffer.from(loaded.source as Uint8Array).toString();
    for (const { file, line, becomes } of here) {
      if (!source.includes(line)) throw new Error(`${file} has no line ${line}`);
      source = source.replaceAll(line, () => becomes);
    }
    return { ...loaded, source };
  },
});

const { bootKernel } = await import("@aos/kernel");
const { operationNames, operationOf, SysError } = await import("@aos/protocol");
const { callOperation } = await import("@aos/daemon/gateway");

const never = new AbortController().signal;
const kernel = await bootKernel({
  programs: {
    listen: async (sys) => (await sys.receive()).id,
    plan: async () => null,
    eval: async () => null,
    write: async (sys) => (await sys.write("/mem/shared/note", "theirs"), null),
  },
});
for (const tenant of ["a", "b"]) await kernel.addTenant(tenant, {}, "operator");
const theirs = await kernel.spawn({ agent: "listen", tenant: "a" });
await kernel.spawn({ agent: "listen", tenant: "b" });
const writer = await kernel.spawn({
  agent: "write",
  tenant: "a",
  capabilities: ["memory:/mem/shared/**:write"],
});
await kernel.wait(writer);
const ownEval = await kernel.spawn({ agent: "eval", tenant: "b" });
const version = `${writer}#1`;
const done = async () => ({});
const gateway = {
  kernel,
  closing: never,
  config: { goals: {} },
  trust: { trusted: () => undefined },
  home: { folder: "/home-of-the-daemon" },
  socket: "/socket-of-the-daemon",
  workspaces: { diff: done, undo: done, commit: done },
  policy: { admit: (_folders: unknown, start: () => unknown) => start() },
};
const manifest = {
  file: "agent.yaml",
  text: '{"apiVersion": "aos/v1", "kind": "Agent", "name": "x", "program": "listen"}',
};
const nightly = {
  apiVersion: "aos/v1",
  kind: "Schedule",
  name: "nightly",
  cron: "0 3 * * *",
  manifest: { apiVersion: "aos/v1", kind: "Agent", name: "x", program: "listen" },
  paused: true,
} as const;
const schedule = { file: "schedule.yaml", text: JSON.stringify(nightly) };
const packers = {
  apiVersion: "aos/v1",
  kind: "Fleet",
  name: "packers",
  manifest: { apiVersion: "aos/v1", kind: "Agent", name: "x", program: "listen" },
  replicas: 0,
} as const;
const fleet = { file: "fleet.yaml", text: JSON.stringify(packers) };
const bob: Caller = {
  role: "operator",
  tenant: "b",
  name: "bob",
  id: "bob",
  transport: "network",
  gone: never,
};

/** What each needs beside what it names. */
const more: Readonly<Record<string, Record<string, unknown>>> = {
  spawn: { manifest },
  submitGoal: { goal: "the ferry" },
  startEval: { file: echoEval },
  compareEvals: { pid: ownEval },
  estimateSpawn: { manifest },
  signal: { signal: "SIGUSR1" },
  send: { body: 1 },
  check: { call: "now" },
  nice: { lane: "low" },
  invoke: { timeoutMs: 1 },
  wait: { timeoutMs: 1 },
  grant: { capabilities: ["message:*:receive"] },
  setSecret: { name: "X", value: "x-secret", bindings: [] },
  removeSecret: { name: "X" },
  searchMemory: { query: "ferry" },
  searchRuns: { query: "ferry" },
  collectionFiles: { name: "docs" },
  ingest: { name: "docs" },
  askContext: { question: "ferry" },
  readFile: { path: "/policy/summary" },
  findFiles: { path: "/ctx/archive", query: "ferry" },
  writeFile: { path: "/mem/shared/note", data: 1 },
  removeFile: { path: "/mem/shared/note" },
  forgetMemory: { about: "the ferry", dryRun: true },
  untidyMemory: { id: "0" },
  fileVersions: { path: "/mem/shared/note" },
  fileVersion: { path: "/mem/shared/note", version },
  diffFile: { path: "/mem/shared/note", from: version, to: version },
  restoreFile: { path: "/mem/shared/note", version },
  testNotify: { name: "phone" },
  retryNotification: { id: "ntf_theirs" },
  createSchedule: { schedule },
  editSchedule: { name: "nightly", schedule },
  applyFleet: { fleet },
  rollFleet: { name: "packers", fleet },
  sendFleetItem: { name: "packers", input: 1 },
  decideFleetRoll: { name: "packers", decision: "promote" },
  scaleFleet: { name: "packers", max: 1 },
  ...Object.fromEntries(
    ["fleetItem", "retryFleetItem"].map((name) => [name, { name: "packers", item: "one" }]),
  ),
  ...Object.fromEntries(
    [
      "fleet",
      "pauseFleet",
      "drainFleet",
      "resumeFleet",
      "removeFleet",
      "fleetItems",
      "fleetEvents",
    ].map((name) => [name, { name: "packers" }]),
  ),
  ...Object.fromEntries(
    [
      "schedule",
      "pauseSchedule",
      "resumeSchedule",
      "runSchedule",
      "removeSchedule",
      "scheduleTicks",
    ].map((name) => [name, { name: "nightly" }]),
  ),
};

async function isReached(name: (typeof operationNames)[number], named: object): Promise<boolean> {
  const args = { ...more[name], ...named };
  const call = { signal: AbortSignal.timeout(60_000) };
  const answered = await callOperation(gateway as unknown as GatewayContext, bob, name, args, call)
    .then(firstOf)
    .catch((error: unknown) => error);
  return !(answered instanceof SysError && answered.code === "ENOENT");
}

async function firstOf(answered: unknown): Promise<unknown> {
  if (typeof answered !== "object" || answered === null || !(Symbol.asyncIterator in answered))
    return answered;
  for await (const value of answered as AsyncIterable<unknown>) return value;
  return undefined;
}

const post = {
  id: "ntf_theirs",
  tenant: "a",
  box: "out",
  target: "phone",
  kind: "failure",
} as const;
await kernel.addPost({ ...post, state: "dead" });

const reached: string[] = [];
for (const name of operationNames) {
  const { reach, processes, params, query, body } = operationOf(name);
  // A tail says nothing until somebody sends a message; tests/e2e/gateway/tenants.test.ts asks for another's.
  if (reach === "machine" || name === "tailMessages") continue;
  for (const one of processes)
    if (await isReached(name, { [one]: theirs })) reached.push(`${name} ${one}`);
  // Also after the operation that removes it.
  if (/schedule/i.test(name) && (await kernel.schedules({ tenant: "a" })).length === 0)
    await kernel.createSchedule({ schedule: nightly, tenant: "a", by: "alice" });
  if (/fleet/i.test(name) && (await kernel.fleets({ tenant: "a" })).length === 0) {
    await kernel.applyFleet({ fleet: packers, tenant: "a", by: "alice" });
    const item = { input: 1, key: "one", tenant: "a", by: "alice" };
    await kernel.sendFleetItem("packers", item);
  }
  const takes = { ...params.shape, ...query.shape, ...body.shape };
  if ("tenant" in takes) {
    const agent = "agent" in takes && !("manifest" in takes) ? { agent: "listen" } : {};
    if (await isReached(name, { ...agent, tenant: "a" })) reached.push(`${name} tenant`);
  }
}
process.stdout.write(`${JSON.stringify(reached)}\n`, () => process.exit(0));
