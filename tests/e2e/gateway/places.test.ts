// Tenants and memory over the network: who is shown what, and what is asked of whom.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Json, MemoryReport, MemorySearchReport, TenantReport } from "@aos/protocol";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
/** Wrote `the ferry leaves at nine`, in the tenants a and b. */
let hers: string;
let his: string;
let all: string;
let bob: string;

/** One that ends with what it has written. */
const writes = async (wish: { agent: string; program: string; tenant: string; input: Json }) => {
  const { agent, program, tenant, input } = wish;
  const pid = await door.kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: agent,
      program,
      capabilities: ["memory:/mem/**:write"],
    },
    tenant,
    input,
  });
  expect(await door.kernel.wait(pid)).toMatchObject({ state: "completed" });
  return pid;
};
const remembers = (agent: string, tenant: string, input: string) =>
  writes({ agent, program: "remember", tenant, input });

beforeAll(async () => {
  door = await openFrontDoor();
  hers = await remembers("harbour", "a", "the ferry leaves at nine");
  his = await remembers("pier", "b", "the ferry leaves at ten");
  all = door.token("operator");
  bob = door.token("operator", { tenant: "b", name: "bob" });
});
afterAll(() => door.close());

const told = async <T>(asked: Promise<Response>): Promise<T> => (await (await asked).json()) as T;
const search = (args: Record<string, unknown>, token: string) =>
  told<MemorySearchReport>(door.call("searchMemory", { query: "ferry", ...args }, { token }));
const kept = async (pid: string, path: string, token: string) =>
  told<MemoryReport>(door.call("memory", { pid, path }, { token }));

test("a caller of all tenants sees each with its processes and what it spent", async () => {
  const viewer = door.token("viewer");

  const tenants = await told<TenantReport[]>(door.call("tenants", {}, { token: viewer }));

  expect(tenants.map(({ name }) => name)).toEqual(["default", "a", "b"]);
  expect(tenants[1]).toMatchObject({ states: { completed: 1 }, budgets: [] });
  expect(tenants[1]!.spent).toEqual({ usd: 0, tokens: 0, toolCalls: 0 });
});

test("a tenant's caller sees its own, and nothing where its tenant is not there yet", async () => {
  const tenants = await told<TenantReport[]>(door.call("tenants", {}, { token: bob }));
  const nobody = door.token("viewer", { tenant: "not-there" });

  expect(tenants.map(({ name }) => name)).toEqual(["b"]);
  expect(await told(door.call("tenants", {}, { token: nobody }))).toEqual([]);
});

test("a search finds what the caller's tenant has, says who wrote it, and is a process of its", async () => {
  const { found, tenant, pid } = await search({}, bob);

  expect(tenant).toBe("b");
  expect(found).toMatchObject([
    { path: "/mem/shared/note", data: "the ferry leaves at ten", writer: his, searchedBy: "text" },
  ]);
  expect(found[0]?.why?.[0]?.says).toContain("ferry");
  const searcher = await door.kernel.show(pid);
  expect(searcher).toMatchObject({ tenant: "b", program: "recall", state: "completed" });
});

test("a caller of all tenants names the tenant, or a process that says it", async () => {
  const byTenant = await search({ tenant: "a" }, all);
  const byPid = await search({ pid: his }, all);
  const inDefault = await search({}, all);

  expect(byTenant).toMatchObject({ tenant: "a", found: [{ writer: hers }] });
  expect(byPid).toMatchObject({ tenant: "b", found: [{ writer: his }] });
  expect(inDefault).toMatchObject({ tenant: "default", found: [] });
});

test("a search can be for what an agent wrote, or a process, before it is cut", async () => {
  const dock = await writes({
    agent: "dock",
    program: "rememberMany",
    tenant: "b",
    input: "ferry",
  });

  const pier = await search({ agent: "pier", limit: 1 }, bob);
  const byDock = await search({ agent: "dock", limit: 2 }, bob);
  const nobody = await search({ agent: "nobody" }, bob);
  const process = await search({ pid: his, limit: 1 }, bob);

  expect(pier.found.map(({ writer }) => writer)).toEqual([his]);
  expect(process.found).toEqual(pier.found);
  expect(byDock.found.map(({ writer }) => writer)).toEqual([dock, dock]);
  expect(nobody.found).toEqual([]);
});

test("a pid says whose memory it is: an agent or a tenant beside it is refused, and no process begins", async () => {
  const before = await door.kernel.list();

  for (const more of [{ agent: "pier" }, { tenant: "b" }])
    expect(await search({ pid: his, ...more }, all)).toMatchObject({ code: "EINVAL" });
  expect(await search({ path: "/mem/working" }, all)).toMatchObject({ code: "EINVAL" });
  expect(await search({ limit: 0 }, all)).toMatchObject({ code: "EINVAL" });
  expect(await door.kernel.list()).toEqual(before);
});

test("a search in a tenant that is not there does not make it", async () => {
  expect(await search({ tenant: "nobody" }, all)).toMatchObject({ code: "ENOENT" });

  expect((await door.kernel.tenants()).map(({ name }) => name)).not.toContain("nobody");
});

test.each(["viewer", "approver"] as const)("a %s searches and reads no memory", async (role) => {
  const token = door.token(role, { tenant: "b" });
  const before = await door.kernel.list();

  expect(await search({}, token)).toMatchObject({ code: "EACCES" });
  expect(await kept(his, "/mem/shared", token)).toMatchObject({ code: "EACCES" });
  expect(await door.kernel.list()).toEqual(before);
});

test("a search that the policy forbids is refused in the gate's own words", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-places-"));
  const rules = 'rules:\n  - { id: rest, allow: "*" }\n  - { id: no-search, deny: [search] }\n';
  writeFileSync(join(folder, "policy.yaml"), `version: 1\n${rules}`);
  const strict = await openFrontDoor({ folder });
  const token = strict.token("operator");

  const response = await strict.call("searchMemory", { query: "ferry" }, { token });
  const failure = (await response.json()) as { code: string; message: string };
  await strict.close();

  expect(failure.code).toBe("EPOLICY");
  expect(failure.message).toContain("no-search");
});

test("what a process has is listed below a path and read at one, after its end", async () => {
  const listed = await kept(his, "/mem/shared", bob);
  const read = await kept(his, "/mem/shared/note", bob);

  expect(listed.file).toBeNull();
  expect(listed.files).toContainEqual({
    path: "/mem/shared/note",
    writer: his,
    label: "trusted/public",
    writtenAt: expect.any(String) as string,
    bytes: JSON.stringify("the ferry leaves at ten").length,
  });
  expect(read.file).toMatchObject({ path: "/mem/shared/note", data: "the ferry leaves at ten" });
});

test("what it has of its own is shown as its own only", async () => {
  const input = { mood: "fine" };
  const own = await writes({ agent: "diarist", program: "noteOwn", tenant: "b", input });

  expect((await kept(own, "/mem/working/diary", bob)).file).toMatchObject({
    data: { mood: "fine" },
  });
  expect(await kept(his, "/mem/working/diary", bob)).toMatchObject({ code: "ENOENT" });
  const whole = await told<MemoryReport>(door.call("memory", { pid: own }, { token: bob }));
  expect(whole.files.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["/mem/working/diary", "/mem/shared/note"]),
  );
});

test.each(["/mem/shared/../working", "mem/shared", "/mem//shared", "/mem/shared/"])(
  "%s is no plain path",
  async (path) => {
    expect(await kept(his, path, bob)).toMatchObject({ code: "EINVAL" });
  },
);

test.each(["/etc/passwd", "/self", "/mem/other", "/mem/shared/none", "/work"])(
  "there is no %s",
  async (path) => {
    expect(await kept(his, path, bob)).toMatchObject({ code: "ENOENT" });
  },
);

test("another tenant's memory is not there, by whichever way it is named", async () => {
  for (const asked of [kept(hers, "/mem/shared/note", bob), search({ pid: hers }, bob)])
    expect(await asked).toMatchObject({ code: "ENOENT", message: `unknown process ${hers}` });
  expect(await search({ tenant: "a" }, bob)).toMatchObject({
    code: "ENOENT",
    message: "unknown tenant a",
  });
});

test.each(["/api/v1/events?pids=x", "/api/v1/events?pid=@last&none=1"])(
  "%s: an unknown field is refused, and says which there are",
  async (path) => {
    const response = await door.ask("GET", path, { token: all });

    expect(response.status).toBe(400);
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect(code).toBe("EINVAL");
    expect(message).toContain("fields are pid, tree, after");
  },
);

test("the events of one process take no field but after", async () => {
  const path = `/api/v1/processes/${his}/events`;

  expect((await door.ask("GET", `${path}?tree=${his}`, { token: all })).status).toBe(400);
  const good = await door.ask("GET", `${path}?after=${his}:0`, { token: all });
  expect(good.status).toBe(200);
  await good.text();
});
