// `aos mem add|show|export|import|stats`, typed: facts of people in the memory of agents, and where records come from.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MemoryImport, MemoryRecord, MemoryRow, MemoryStats } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
beforeAll(() => {
  project = createTestProject();
});
afterAll(() => project.remove());

const FACTS = "/mem/agents/researcher/semantic/facts/gateway-port";
const add = (text: string, ...more: readonly string[]) =>
  project.aos("mem", "add", text, "--subject", "gateway port", "-o", "name", ...more);
const record = async (path: string) =>
  (await project.aos("mem", "show", path, "-o", "json")).json() as MemoryRecord;
const exported = async (...args: readonly string[]) =>
  (await project.aos("mem", "export", ...args)).stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as MemoryRow);

test("a person's fact is trusted, has its record, and is replaced and contradicted like any other", async () => {
  const first = (await add("The port is 80", "--agent", "researcher")).stdout.trim();
  const again = (await add("The port is 80", "--agent", "researcher")).stdout.trim();
  const second = (
    await add("The port is 9443", "--agent", "researcher", "--replaces", first)
  ).stdout.trim();
  const third = (await add("The port is 7", "--path", FACTS.split("/facts")[0]!)).stdout.trim();

  expect(first).toMatch(new RegExp(`^${FACTS}/[0-9a-f]{16}$`));
  expect(again).toBe(first);
  const [old, current] = [await record(first), await record(second)];
  expect(old).toMatchObject({
    kind: "fact",
    label: "trusted/public",
    replacedBy: { path: second },
  });
  expect(old.writtenBy).toMatchObject({ pid: old.writer });
  expect(current.data).toMatchObject({ source: "operator", subject: "gateway port" });
  expect(current.replaces.map(({ text }) => text)).toEqual(["The port is 80"]);
  expect(current.contradicts.map(({ path }) => path)).toEqual([third]);
  const written = await project.aos("logs", old.writer, "-o", "json");
  expect(written.stdout).toContain(first);

  const shown = await project.aos("mem", "show", second);
  expect(shown.stdout).toMatch(/^contradicts +\S+ +trusted\/public +The port is 7$/m);
  const found = await project.aos("mem", "search", "which port", "-o", "name");
  expect(found.stdout.trim().split("\n").toSorted()).toEqual([second, third].toSorted());
});

test("an export is imported once, with its labels or untrusted, and nothing is overwritten", async () => {
  await add("The team meets on Monday", "--path", "/mem/shared/team");
  const rows = await exported("--agent", "researcher");
  const file = join(project.folder, "memory.jsonl");
  const odd = { ...rows[0]!, data: "other", label: "trusted/public" };
  const imported = async (...args: readonly string[]) =>
    (await project.aos("mem", "import", file, ...args, "-o", "json")).json() as MemoryImport;

  expect(rows).toHaveLength(3);
  expect((await exported()).map(({ path }) => path)).toContain(
    (await exported("/mem/shared"))[0]!.path,
  );
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  expect(await imported()).toMatchObject({ written: 0, unchanged: 3 });
  expect(await imported("--agent", "copy")).toMatchObject({ written: 3, unchanged: 0 });
  expect(await imported("--agent", "copy")).toMatchObject({ written: 0, unchanged: 3 });
  expect(await imported("--agent", "twin", "--trusted")).toMatchObject({ written: 3 });
  writeFileSync(file, JSON.stringify(odd));
  expect(await imported()).toMatchObject({ written: 0, kept: [rows[0]!.path] });

  const labels = async (agent: string) =>
    new Set((await exported("--agent", agent)).map(({ label }) => label));
  expect(await labels("copy")).toEqual(new Set(["untrusted/public"]));
  expect(await labels("twin")).toEqual(new Set(["trusted/public"]));
});

test("a label of a file is never lowered, and one that nobody knows is refused", async () => {
  const file = join(project.folder, "labels.jsonl");
  const path = "/mem/shared/labels/a: größer & 1";
  const line = (label?: string) => JSON.stringify({ path, data: 1, label });

  writeFileSync(file, line("shiny"));
  const unknown = await project.aos("mem", "import", file);
  writeFileSync(file, line("untrusted/confidential"));
  await project.aos("mem", "import", file, "--trusted");
  writeFileSync(file, JSON.stringify({ path: "/mem/shared/labels/b", data: 1 }));
  await project.aos("mem", "import", file, "--trusted");
  writeFileSync(file, "{");
  const broken = await project.aos("mem", "import", file);
  writeFileSync(file, JSON.stringify({ path: "/mem/semantic/x", data: 1 }));
  const unnamed = await project.aos("mem", "import", file);

  expect([unknown.code, broken.code, unnamed.code]).not.toContain(0);
  expect(unknown.stderr).toContain("unknown label");
  expect(broken.stderr).toContain("line 1 is not a JSON object");
  expect(unnamed.stderr).toContain("each agent has its own memory");
  expect((await exported("/mem/shared/labels")).map(({ label }) => label)).toEqual([
    "untrusted/confidential",
    "untrusted/public",
  ]);
});

test("stats say what each space holds", async () => {
  const spaces = (await project.aos("mem", "stats", "-o", "json")).json() as MemoryStats[];
  const text = await project.aos("mem", "stats");

  expect(spaces.find(({ space }) => space === "/mem/agents/researcher")).toMatchObject({
    rows: 3,
    kinds: { fact: 3 },
    labels: { "trusted/public": 3 },
  });
  expect(spaces.map(({ space }) => space)).toContain("/mem/shared/team");
  expect(text.stdout).toMatch(/\/mem\/agents\/copy +3 +\d+ +fact 3 +untrusted\/public 3/);
});

test("what is wrong is said: no place, two places, no such record, another tenant", async () => {
  const [none, two, nothing, tenant, sure] = await Promise.all([
    project.aos("mem", "add", "A fact."),
    project.aos("mem", "add", "A fact.", "--agent", "a", "--path", "/mem/shared/a"),
    project.aos("mem", "show", "/mem/shared/none"),
    project.aos("mem", "stats", "--tenant", "nobody"),
    project.aos("mem", "add", "A fact.", "--agent", "a", "--confidence", "2"),
  ]);

  for (const { stderr, code } of [none, two]) {
    expect(stderr).toContain("name an agent or a path");
    expect(code).toBe(2);
  }
  expect(nothing.stderr).toContain("there is no file /mem/shared/none");
  expect(tenant.stderr).toContain("unknown tenant nobody");
  expect(sure.stderr).toContain("from 0 to 1");
});
