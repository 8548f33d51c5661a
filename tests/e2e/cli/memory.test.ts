// `aos mem` and `aos tenant`, typed: what agents have in memory, and whose they are.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoryFile, MemorySearchReport, RunSearchReport, TenantReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addAgent, createTestProject, type TestProject } from "../project.ts";

const WRITER = `
await call("write", { path: "/mem/shared/ferry", data: "the ferry leaves at nine" });
await call("write", { path: "/mem/working/plan", data: { steps: 2 } });
say("exit", { code: 0, output: "written" });
`;

let project: TestProject;
let pid: string;
beforeAll(async () => {
  project = createTestProject();
  const { folder: home } = project.home;
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.yaml"), "budgets:\n  - { scope: tenant, per: day, usd: 5 }\n");
  addAgent(project.folder, "writer", WRITER);
  const file = join(project.folder, "writer.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("/mem/working/**", "/mem/**"));
  pid = await project.spawned("writer.yaml");
  await project.until(pid, "completed");
});
afterAll(() => project.remove());

test("mem search finds what an agent wrote, for people, programs and pipes", async () => {
  const [text, json, name, nothing] = await Promise.all([
    project.aos("mem", "search", "ferry nine"),
    project.aos("mem", "search", "ferry", "--agent", "writer", "-o", "json"),
    project.aos("mem", "search", "ferry", "--pid", pid, "-n", "1", "-o", "name"),
    project.aos("mem", "search", "ferry", "--agent", "reader"),
  ]);

  expect(text.stdout).toMatch(/0\.\d\d +document +\/mem\/shared\/ferry +the ferry leaves at nine/);
  const { found, tenant } = json.json() as MemorySearchReport;
  expect(tenant).toBe("default");
  expect(found).toMatchObject([
    { path: "/mem/shared/ferry", kind: "document", writer: pid, label: "trusted/public" },
  ]);
  expect(found[0]?.why?.[0]?.says).toContain("ferry");
  expect(name.stdout).toBe("/mem/shared/ferry\n");
  expect(nothing.stdout).toContain("Nothing in the memory of default");
});

test("search finds what was said in runs, and mem search only what is old enough", async () => {
  const [text, json, name, nothing, before] = await Promise.all([
    project.aos("search", "what was written"),
    project.aos("search", "written", "--agent", "writer", "--since", "1h", "-o", "json"),
    project.aos("search", "written", "--pid", pid, "-n", "1", "-o", "name"),
    project.aos("search", "written", "--agent", "reader"),
    project.aos("mem", "search", "ferry", "--until", "1h"),
  ]);

  expect(text.stdout).toMatch(new RegExp(`${pid} \\d+ +writer +writer +written`));
  const { found, since } = json.json() as RunSearchReport;
  expect(since).toBeNull();
  expect(found).toMatchObject([{ pid, speaker: "writer", text: "written" }]);
  expect(name.stdout).toBe(`${pid}\n`);
  expect(nothing.stdout).toContain("Nothing that was said in the runs of default");
  expect(before.stdout).toContain("Nothing in the memory of default");
});

test("a fact of an untrusted run is found once a person has approved it, and gone once rejected", async () => {
  const keeper = `
await call("write", { path: "/mem/semantic/lake", data: "the lake is cold" });
await call("write", { path: "/mem/semantic/river", data: "the river is cold" });
say("exit", { code: 0, output: "written" });
`;
  addAgent(project.folder, "keeper", keeper);
  const file = join(project.folder, "keeper.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("/mem/working/**", "/mem/**"));
  const run = await project.spawned("keeper.yaml", "--label", "untrusted/confidential");
  await project.until(run, "completed");
  const found = async (...more: string[]) =>
    (
      await project.aos("mem", "search", "cold", "-o", "json", ...more)
    ).json() as MemorySearchReport;

  const [before, all] = await Promise.all([found(), found("--label", "untrusted")]);
  const [lake, river] = all.found.map(({ path }) => path).toSorted();
  const unasked = await project.aos("mem", "approve", lake!);
  const approved = await project.aos("mem", "approve", lake!, "--yes");
  const rejected = await project.aos("mem", "reject", river!);
  const wrong = await project.aos("mem", "approve", "/mem/shared/ferry", "--yes");
  const twice = await project.aos("mem", "approve", lake!, "--yes");
  const after = await found("--label", "untrusted");

  expect(unasked.stderr).toContain("--yes");
  expect(unasked.stderr).toMatch(new RegExp(`writer +${run}\\n.*record \\d+ of ${run}`));
  expect(unasked.stderr).toContain("the lake is cold");
  expect(twice.stderr).toContain("is not in quarantine");
  expect(before.found).toEqual([]);
  expect(all.found.map(({ label }) => label)).toEqual(Array(2).fill("untrusted/confidential"));
  expect(approved.stdout).toContain("the lake is cold");
  expect(rejected.stdout).toContain("is removed");
  expect(wrong.stderr).toContain("is not the path of a fact");
  expect(after.found).toMatchObject([{ path: lake, label: "trusted/confidential" }]);
  expect((await found()).found).toMatchObject([{ path: lake }]);
});

test("mem ls lists what a process has, also after its end, and mem read prints it", async () => {
  const [listed, own, read, plan] = await Promise.all([
    project.aos("mem", "ls", pid, "-o", "json"),
    project.aos("mem", "ls", pid, "/mem/working"),
    project.aos("mem", "read", pid, "/mem/shared/ferry"),
    project.aos("mem", "read", pid, "/mem/working/plan"),
  ]);

  const files = listed.json() as MemoryFile[];
  expect(files.map(({ path }) => path)).toEqual(["/mem/working/plan", "/mem/shared/ferry"]);
  expect(own.stdout).toContain("/mem/working/plan");
  expect(own.stdout).not.toContain("/mem/shared");
  expect(read.stdout).toBe("the ferry leaves at nine\n");
  expect(JSON.parse(plan.stdout)).toEqual({ steps: 2 });
});

test("mem read of a folder says what to type, and of nothing that there is nothing", async () => {
  const [folder, nothing] = await Promise.all([
    project.aos("mem", "read", pid, "/mem/shared"),
    project.aos("mem", "read", pid, "/mem/shared/none"),
  ]);

  expect(folder.stderr).toContain(`aos mem ls ${pid} /mem/shared`);
  expect(nothing.stderr).toContain("has no file at or below /mem/shared/none");
  expect([folder.code, nothing.code]).not.toContain(0);
});

test("tenant ls says who has processes, what they spent and what is left to them", async () => {
  const [text, json] = await Promise.all([
    project.aos("tenant", "ls"),
    project.aos("tenant", "ls", "-o", "json"),
  ]);

  expect(text.stdout).toMatch(/^default .*\$0\.0000 .*\$5\.0000 of \$5\.0000 a day$/m);
  const [first] = json.json() as TenantReport[];
  expect(first).toMatchObject({
    name: "default",
    spent: { usd: 0, tokens: 0 },
    budgets: [{ of: "tenant default", per: "day", unit: "usd", limit: 5, spent: 0 }],
  });
  expect(first!.states.completed).toBeGreaterThan(0);
});

test("--tenant starts a process as somebody's, with a memory of its own", async () => {
  const unknown = await project.aos("run", "writer.yaml", "--tenant", "acme");
  await project.aos("tenant", "add", "acme");
  const theirs = await project.aos("run", "writer.yaml", "--tenant", "acme");
  const [tenants, found] = await Promise.all([
    project.aos("tenant", "ls", "-o", "json"),
    project.aos("mem", "search", "ferry", "--tenant", "acme", "-o", "json"),
  ]);

  expect(unknown.stderr).toContain("unknown tenant acme");
  expect(theirs.stdout).toBe("written\n");
  const acme = (tenants.json() as TenantReport[]).find(({ name }) => name === "acme");
  expect(acme?.states).toMatchObject({ completed: expect.any(Number) });
  expect(found.json()).toMatchObject({ tenant: "acme", found: [{ path: "/mem/shared/ferry" }] });
});

test("mem tidy merges what was said twice, and takes it back; mem forget asks, and removes it", async () => {
  const add = (...more: string[]) =>
    project.aos("mem", "add", "Zora Quint keeps the key.", "--agent", "porter", ...more);
  const found = async () =>
    (await project.aos("mem", "export", "--agent", "porter")).stdout.trim().split("\n");
  await add();
  await add("--subject", "key");

  const tidied = await project.aos("mem", "tidy", "--agent", "porter", "-o", "json");
  const { id, removed } = tidied.json() as { id: string; removed: number };
  const merged = await found();
  const undone = await project.aos("mem", "tidy", "--undo", id);
  const both = await found();
  const dry = await project.aos("mem", "forget", "--about", "zora quint", "--dry-run");
  const unasked = await project.aos("mem", "forget", "--about", "zora quint");
  const forgotten = await project.aos("mem", "forget", "--about", "zora quint", "--yes");
  const nothing = await project.aos("mem", "forget", "--about", "zora quint", "--yes");
  const unnamed = await project.aos("mem", "forget", "--yes");
  const audit = await project.aos("audit", "verify");

  expect([removed, merged.length, both.length]).toEqual([1, 1, 2]);
  expect(undone.stdout).toContain("put back 1 rows");
  expect(dry.stdout).toContain("would remove 2 files of memory");
  expect(unasked.stderr).toContain("nothing was removed");
  expect(forgotten.stdout).toContain("removed 2 files of memory");
  expect(nothing.stdout).toContain("nothing was found");
  expect(unnamed.stderr).toContain("nothing is named");
  expect(audit.stdout).toMatch(/all intact\nerased \d{4}-\d\d-\d\d by /);
});

test("mem search --rerank takes the order of a model, and says where it has none", async () => {
  await project.aos("mem", "add", "The ferry leaves at ten.", "--agent", "clerk");
  const order = join(project.home.folder, "scripts", "order.yaml");
  mkdirSync(join(order, ".."), { recursive: true });
  writeFileSync(order, 'turns:\n  - say: "2, 1"\n');
  const search = async (...more: string[]) =>
    (
      await project.aos("mem", "search", "leaves", "-o", "json", ...more)
    ).json() as MemorySearchReport;

  const plain = await search();
  const reranked = await search("--rerank", "scripted/order");
  const wrong = await project.aos("mem", "search", "leaves", "--usd", "1");

  expect(plain).toMatchObject({ rerankedBy: null });
  expect(reranked).toMatchObject({ rerankedBy: "scripted/order" });
  expect(plain.found).toHaveLength(2);
  expect(reranked.found.map(({ path }) => path)).toEqual(
    plain.found.map(({ path }) => path).toReversed(),
  );
  expect(wrong).toMatchObject({ code: 2 });
});
