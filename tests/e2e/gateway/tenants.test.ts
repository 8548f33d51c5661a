// A caller of one tenant, over all rows that name something: what is another tenant's is not there.

import { operationNames, operationOf, type OperationName } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { echoEval } from "../echo-eval.ts";
import { checkConfigText } from "@aos/daemon/parts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let theirs: string;
let mine: string;
let bob: string;
beforeAll(async () => {
  const text = 'notify: { hook: { kind: webhook, url: "http://127.0.0.1:1/", tenant: b } }';
  const { notify } = checkConfigText(text, "config.yaml");
  door = await openFrontDoor({ config: { notify } });
  theirs = await door.spawn("listen", "a");
  mine = await door.spawn("listen", "b");
  bob = door.token("operator", { tenant: "b", name: "bob" });
});
afterAll(() => door.close());

/** A pid like any other, that nobody has. */
const NOBODY = "agt_00000000000000000000000000";

const inReach = operationNames.filter((name) => operationOf(name).reach === "tenant");
const shapeOf = (name: OperationName) => {
  const { params, query, body } = operationOf(name);
  return { ...params.shape, ...query.shape, ...body.shape };
};
const taking = (field: string) => inReach.filter((name) => field in shapeOf(name));

const textOf = (name: string) => ({
  file: "schedule.yaml",
  text: JSON.stringify({
    apiVersion: "aos/v1",
    kind: "Schedule",
    name,
    cron: "0 3 * * *",
    agent: "echo",
    paused: true,
  }),
});

/** Of a schedule that the tenant b has, or is to have. */
async function scheduleArgs(name: OperationName): Promise<Record<string, unknown>> {
  if (name === "createSchedule") return { schedule: textOf("weekly") };
  const of = `for-${name.toLowerCase()}`;
  await door.call("createSchedule", { schedule: textOf(of) }, { token: bob });
  return name === "editSchedule" ? { name: of, schedule: textOf(of) } : { name: of };
}

const fleetOf = (name: string, more: object = {}) => ({
  file: "fleet.yaml",
  text: JSON.stringify({
    apiVersion: "aos/v1",
    kind: "Fleet",
    name,
    agent: "echo",
    replicas: 0,
    ...more,
  }),
});

/** Of a fleet that the tenant b has, or is to have. */
async function fleetArgs(name: OperationName): Promise<Record<string, unknown>> {
  if (name === "applyFleet") return { fleet: fleetOf("packers") };
  const of = `for-${name.toLowerCase()}`;
  const told = (what: OperationName, args: object) =>
    door.call(what, { ...args }, { token: bob }).then((response) => response.text());
  const next = fleetOf(of, { capabilities: ["message:*:receive"] });
  await told("applyFleet", { fleet: fleetOf(of, { label: "untrusted/public" }) });
  if (name === "rollFleet") return { name: of, fleet: next };
  if (name === "scaleFleet") return { name: of, max: 3 };
  if (name === "decideFleetRoll") {
    await told("rollFleet", { name: of, fleet: next });
    return { name: of, decision: "promote" };
  }
  if (name === "sendFleetItem") return { name: of, input: 1 };
  if (/^(fleetItem|retryFleetItem)$/.test(name))
    await told("sendFleetItem", { name: of, input: 1, key: "one" });
  return name.endsWith("Item") ? { name: of, item: "one" } : { name: of };
}

/** What each needs beside the pid to be asked at all. */
const more: Partial<Record<OperationName, Record<string, unknown>>> = {
  signal: { signal: "SIGTERM" },
  queryWorkflow: { query: "x" },
  signalWorkflow: { signal: "x" },
  send: { body: 1 },
  check: { call: "now" },
  nice: { lane: "low" },
  grant: { capabilities: ["message:*:receive"] },
  invoke: { timeoutMs: 1 },
  retry: { from: 1 },
  searchMemory: { query: "ferry" },
  searchRuns: { query: "ferry" },
  readFile: { path: "/policy/summary" },
  findFiles: { path: "/ctx/archive", query: "ferry" },
  fileVersions: { path: "/mem/shared/note" },
  fileVersion: { path: "/mem/shared/note", version: "agt_x#1" },
  diffFile: { path: "/mem/shared/note" },
  sendCloudEvent: { specversion: "1.0", id: "1", source: "/x", type: "note", data: 1 },
};

test.each(taking("pid"))(
  "%s of another tenant's process is as of one that is not there",
  async (name) => {
    const before = (await door.kernel.journal(theirs)).length;

    const [real, unreal] = await Promise.all(
      [theirs, NOBODY].map((pid) => door.call(name, { pid, ...more[name] }, { token: bob })),
    );

    expect([real!.status, unreal!.status]).toEqual([404, 404]);
    const said = (await real!.text()).replaceAll(theirs, NOBODY);
    expect(said).toBe(await unreal!.text());
    expect((await door.kernel.journal(theirs)).length).toBe(before);
  },
);

test.each(taking("pid").filter((name) => !["revoke", "coreDump"].includes(name)))(
  "%s of the tenant's own process is answered",
  async (name) => {
    const pid = await door.spawn("listen", "b");
    const args = { pid, ...more[name], ...(name === "wait" ? { timeoutMs: 1 } : {}) };

    const response = await door.call(name, args, { token: bob });

    // What it has not, e.g. changes, may be missing; it itself is there.
    expect(response.status).not.toBe(403);
    if (response.status !== 404) return response.body?.cancel();
    expect(await response.text()).not.toContain(`there is no process`);
  },
);

test.each(taking("tenant"))(
  "%s in another tenant is refused, and in the own is not",
  async (name) => {
    const needed: Partial<Record<OperationName, Record<string, unknown>>> = {
      spawn: { agent: "echo" },
      estimateSpawn: { agent: "echo" },
      setSecret: { name: "MINE", value: "v-secret", bindings: [] },
      removeSecret: { name: "MINE" },
      power: { agent: "echo" },
      suggest: { agent: "echo" },
      grant: { agent: "echo", capabilities: ["message:*:receive"] },
      searchMemory: { query: "ferry" },
      searchRuns: { query: "ferry" },
      collectionFiles: { name: "docs" },
      ingest: { name: "docs" },
      askContext: { question: "ferry" },
      readFile: { path: "/policy/summary" },
      findFiles: { path: "/mem/shared", query: "ferry" },
      writeFile: { path: "/mem/shared/note", data: 1 },
      removeFile: { path: "/mem/shared/note" },
      fileVersions: { path: "/mem/shared/note" },
      addFact: { text: "The ferry leaves at nine.", agent: "echo" },
      importMemory: { records: [{ path: "/mem/shared/copy", data: 1 }] },
      publish: { topic: "news", body: 1 },
      setTopicSchema: { topic: "news", schema: null },
      forgetMemory: { about: "the ferry", dryRun: true },
      submitGoal: { goal: "a timetable" },
      startEval: { file: echoEval },
    };
    if (/schedule/i.test(name) && name !== "schedules") needed[name] = await scheduleArgs(name);
    if (/fleet/i.test(name) && name !== "fleets") needed[name] = await fleetArgs(name);
    if (/^(fileVersion|diffFile|restoreFile|memoryRecord)$/.test(name)) {
      const path = "/mem/shared/old";
      const { pid } = (await (
        await door.call("writeFile", { path, data: 1 }, { token: bob })
      ).json()) as { pid: string };
      const isPlain = name === "diffFile" || name === "memoryRecord";
      needed[name] = { path, ...(isPlain ? {} : { version: `${pid}#1` }) };
    }
    if (name === "untidyMemory") needed[name] = { id: await tidied() };
    if (name === "testNotify") needed[name] = { name: "hook" };
    if (name === "retryNotification") {
      const post = {
        id: "ntf_b",
        tenant: "b",
        box: "out",
        target: "hook",
        kind: "failure",
      } as const;
      await door.kernel.addPost({ ...post, state: "dead" });
      needed[name] = { id: post.id };
    }
    const asked = (tenant: string) => door.call(name, { ...needed[name], tenant }, { token: bob });

    const [other, own] = [await asked("a"), await asked("b")];

    expect(other.status).toBe(404);
    // Its item is not dead; that it was found is what counts.
    expect(own.status).toBe(name === "retryFleetItem" ? 409 : 200);
  },
);

/** The id of something that was tidied in the tenant b. */
async function tidied(): Promise<string> {
  for (const at of [1, 2])
    await door.call(
      "addFact",
      { text: `The ferry leaves at ${at}.`, agent: "echo" },
      { token: bob },
    );
  const report = await door.call("tidyMemory", { agent: "echo", maxRows: 1 }, { token: bob });
  return ((await report.json()) as { id: string }).id;
}

test("a spawn that names no tenant is of the caller's", async () => {
  const response = await door.call("spawn", { agent: "echo" }, { token: bob });

  const { pid } = (await response.json()) as { pid: string };
  expect((await door.kernel.show(pid)).tenant).toBe("b");
});

test.each(["cwd", "folder", "workspace", "paths"])(
  "no operation in reach takes %s",
  async (field) => {
    for (const name of taking(field)) {
      const value = { cwd: "/etc", folder: "/etc", workspace: { folder: "/etc", isCow: false } }[
        field
      ];
      const named = ["tool", "skill", "callTool"].includes(name) ? { name: "x" } : {};
      const needed: Record<string, object> = {
        submitGoal: { goal: "a timetable" },
        startEval: { file: echoEval },
      };
      const args = needed[name] ?? named;
      const written = /schedule/i.test(name)
        ? await scheduleArgs(name)
        : /fleet/i.test(name)
          ? await fleetArgs(name)
          : {};
      const given = { ...args, ...written, [field]: value };
      const response = await door.call(name, given, { token: bob });
      const { code, message } = (await response.json()) as { code: string; message: string };
      expect([name, code]).toEqual([name, "EACCES"]);
      expect(message).toContain(field);
    }
  },
);

test("lists have what is the tenant's own, and @last and beginnings find nothing else", async () => {
  const later = await door.spawn("listen", "a");
  const listed = (await (await door.call("list", {}, { token: bob })).json()) as { pid: string }[];
  const last = (await (await door.call("show", { pid: "@last" }, { token: bob })).json()) as object;
  const begun = await door.call("show", { pid: later.slice(0, 22) }, { token: bob });

  const pids = listed.map(({ pid }) => pid);
  expect(pids).toContain(mine);
  expect(pids).not.toContain(theirs);
  expect(last).toMatchObject({ tenant: "b" });
  expect(begun.status).toBe(404);
  const { states } = (await (await door.call("status", {}, { token: bob })).json()) as {
    states: Record<string, number>;
  };
  expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(pids.length);
});

test("a list cannot be asked for what is below or before another tenant's process", async () => {
  for (const args of [{ parent: theirs }, { before: theirs }])
    expect((await door.call("list", args, { token: bob })).status).toBe(404);
});

test("another tenant's questions are in no list, and cannot be answered or withdrawn", async () => {
  const pid = await door.spawn("ask", "a");
  const [question] = await vi.waitFor(async () => {
    const open = await door.kernel.questions();
    expect(open).toHaveLength(1);
    return open;
  });
  const approver = door.token("approver", { tenant: "b", name: "bea" });

  const seen = await (await door.call("questions", {}, { token: approver })).json();
  const answered = await door.call(
    "answer",
    { id: question!.id, choice: "yes" },
    { token: approver },
  );
  const withdrawn = await door.call("cancelQuestion", { id: question!.id }, { token: approver });

  expect(seen).toEqual([]);
  expect([answered.status, withdrawn.status]).toEqual([404, 404]);
  expect(await door.kernel.questions()).toHaveLength(1);
  const alice = door.token("approver", { tenant: "a", name: "alice" });
  const hers = await door.call("answer", { id: question!.id, choice: "yes" }, { token: alice });
  expect(hers.status).toBe(200);
  expect(await door.kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ output: "yes" });
});

test("another tenant's secrets and spending are not shown, and its grants cannot be revoked", async () => {
  await door.kernel.setSecret(
    { name: "HERS", value: "s3cret-value", bindings: [], tenant: "a" },
    "x",
  );
  const gift = { by: "x", capabilities: ["message:*:receive"] };
  const { handle } = await door.kernel.grant({ pid: theirs }, gift);
  const own = await door.kernel.grant({ pid: mine }, gift);

  const secrets = await (await door.call("secrets", {}, { token: bob })).text();
  const revoked = await door.call("revoke", { id: handle }, { token: bob });

  expect(secrets).not.toContain("HERS");
  expect(revoked.status).toBe(404);
  expect((await door.call("revoke", { id: own.handle }, { token: bob })).status).toBe(200);
  const held = await door.kernel.power({ pid: theirs });
  expect(JSON.stringify(held.holdings)).toContain(handle);
  const cost = (await (await door.call("cost", { by: "tenant" }, { token: bob })).json()) as {
    rows: { key: string }[];
  };
  expect(cost.rows.filter(({ key }) => key !== "b")).toEqual([]);
});

test("another tenant's schedule is not listed or shown, and is not run, edited, paused or removed", async () => {
  const alice = door.token("operator", { tenant: "a", name: "alice" });
  const schedule = textOf("hers");
  await door.call("createSchedule", { schedule }, { token: alice });
  const asked = async (name: OperationName, args: object, token = bob) =>
    (await door.call(name, { ...args }, { token })).status;

  const seen = await (await door.call("schedules", {}, { token: bob })).text();
  const statuses = [
    await asked("schedule", { name: "hers" }),
    await asked("runSchedule", { name: "hers" }),
    await asked("editSchedule", { name: "hers", schedule }),
    await asked("pauseSchedule", { name: "hers" }),
    await asked("resumeSchedule", { name: "hers" }),
    await asked("scheduleTicks", { name: "hers" }),
    await asked("removeSchedule", { name: "hers" }),
  ];

  expect(seen).not.toContain("hers");
  expect(statuses).toEqual(statuses.map(() => 404));
  expect(await door.kernel.schedule("hers", { tenant: "a" })).toMatchObject({
    writtenBy: "alice",
    last: null,
  });
  // The same name in the own tenant is another schedule, and the other's stays when it is removed.
  expect(await asked("createSchedule", { schedule })).toBe(200);
  expect(await asked("removeSchedule", { name: "hers" })).toBe(200);
  expect(await asked("schedule", { name: "hers" }, alice)).toBe(200);
});

test("another tenant's fleet is not listed or shown, gets no item, and is not changed", async () => {
  const alice = door.token("operator", { tenant: "a", name: "alice" });
  const fleet = fleetOf("hers");
  await door.call("applyFleet", { fleet }, { token: alice });
  await door.call("sendFleetItem", { name: "hers", input: 1, key: "k" }, { token: alice });
  const asked = async (name: OperationName, args: object, token = bob) =>
    (await door.call(name, { name: "hers", ...args }, { token })).status;

  const seen = await (await door.call("fleets", {}, { token: bob })).text();
  const statuses = [
    await asked("fleet", {}),
    await asked("sendFleetItem", { input: 2 }),
    await asked("fleetItems", {}),
    await asked("fleetItem", { item: "k" }),
    await asked("retryFleetItem", { item: "k" }),
    await asked("fleetEvents", {}),
    await asked("scaleFleet", { max: 9 }),
    await asked("rollFleet", { fleet: fleetOf("hers", { capabilities: ["message:*:receive"] }) }),
    await asked("decideFleetRoll", { decision: "promote" }),
    await asked("pauseFleet", {}),
    await asked("drainFleet", {}),
    await asked("resumeFleet", {}),
    await asked("removeFleet", { force: "discard" }),
  ];

  expect(seen).not.toContain("hers");
  expect(statuses).toEqual(statuses.map(() => 404));
  expect(await door.kernel.fleet("hers", { tenant: "a" })).toMatchObject({
    state: "active",
    max: 0,
    waiting: 1,
  });
  // The same name in the own tenant is another fleet.
  expect((await door.call("applyFleet", { fleet }, { token: bob })).status).toBe(200);
  expect(await asked("removeFleet", {})).toBe(200);
  expect(await asked("fleet", {}, alice)).toBe(200);
});
