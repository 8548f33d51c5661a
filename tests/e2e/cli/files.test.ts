// `aos fs`, typed: the tree that agents see, as a process sees it and as a tenant shares it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addAgent, createTestProject, type TestProject } from "../project.ts";

const WRITER = `
await call("write", { path: "/mem/working/plan", data: { steps: 2 } });
say("exit", { code: 0, output: "written" });
`;

let project: TestProject;
let pid: string;
beforeAll(async () => {
  project = createTestProject();
  addAgent(project.folder, "writer", WRITER);
  pid = await project.spawned("writer.yaml");
  await project.until(pid, "completed");
});
afterAll(() => project.remove());

test("fs mount lists the mounts, and fs ls the root", async () => {
  const [mounts, root] = await Promise.all([
    project.aos("fs", "mount", "-o", "json"),
    project.aos("fs", "ls", "/", "-o", "json"),
  ]);

  expect(mounts.json()).toContainEqual(
    expect.objectContaining({ path: "/policy", guard: "own", writable: false }),
  );
  expect(root.json()).toContainEqual(expect.objectContaining({ path: "/mem" }));
});

test("with --pid it is what that process sees, also after its end", async () => {
  const [plan, summary, other] = await Promise.all([
    project.aos("fs", "cat", "/mem/working/plan", "--pid", pid),
    project.aos("fs", "cat", "/policy/summary", "--pid", pid),
    project.aos("fs", "cat", "/proc/agt_x/status", "--pid", pid),
  ]);

  expect(JSON.parse(plan.stdout)).toEqual({ steps: 2 });
  expect(summary.stdout).toContain("memory:/mem/working/**");
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain("there is no file");
});

test("what is written is listed, found, read and removed, and each is a process with a journal", async () => {
  const file = join(project.folder, "note.txt");
  writeFileSync(file, "the port is 8080");
  const written = await project.aos(
    "fs",
    "write",
    "/mem/shared/note",
    `@${file}`,
    "--text",
    "-o",
    "json",
  );
  const [listed, found, read] = await Promise.all([
    project.aos("fs", "ls", "/mem/shared", "-o", "json"),
    project.aos("fs", "find", "/mem/shared", "port", "-o", "json"),
    project.aos("fs", "cat", "/mem/shared/note"),
  ]);
  const removed = await project.aos("fs", "rm", "/mem/shared/note");
  const gone = await project.aos("fs", "cat", "/mem/shared/note");

  const { pid: writer } = written.json() as { pid: string };
  expect((await project.aos("show", writer, "-o", "json")).json()).toMatchObject({
    agent: "file-call",
  });
  expect(listed.json()).toMatchObject([{ path: "/mem/shared/note" }]);
  expect(found.json()).toMatchObject([{ path: "/mem/shared/note", data: "the port is 8080" }]);
  expect(read.stdout).toBe("the port is 8080\n");
  expect(removed.code).toBe(0);
  expect(gone.stderr).toContain("there is no file");
});

test("versions are listed, compared and read, and one is restored as a new version", async () => {
  const path = "/mem/shared/port";
  const aos = (...words: string[]) => project.aos("fs", ...words);
  await aos("write", path, "--text", "the port is 8080\n");
  await aos("write", path, "--text", "the port is 9090\n");
  const log = async () =>
    (await aos("log", path, "-o", "json")).json() as { version: string; isCurrent: boolean }[];
  const [, first] = await log();

  const diff = await aos("diff", path);
  const old = await aos("cat", path, "--version", first!.version);
  const restored = await aos("restore", path, "--version", first!.version, "-o", "json");

  expect(diff.stdout).toContain("-the port is 8080\n+the port is 9090\n");
  expect(old.stdout).toBe("the port is 8080\n");
  expect((await aos("cat", path)).stdout).toBe("the port is 8080\n");
  const versions = await log();
  const { pid: writer } = restored.json() as { pid: string };
  expect(versions.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
  expect(versions[0]!.version).toBe(`${writer}#1`);
});

test("versions of nothing, of a folder, of a workspace and of working memory without a process are refused", async () => {
  const refused = await Promise.all([
    project.aos("fs", "diff", "/mem/shared/none"),
    project.aos("fs", "log", "/mem/shared"),
    project.aos("fs", "log", "/work/a"),
    project.aos("fs", "log", "/mem/working/plan"),
    project.aos("fs", "restore", "/mem/shared/note"),
    project.aos("fs", "restore", "/mem/shared/note", "--version", "agt_x#1"),
  ]);

  expect(refused.map(({ code }) => code !== 0)).toEqual(refused.map(() => true));
  const plan = await project.aos("fs", "log", "/mem/working/plan", "--pid", pid, "-o", "json");
  expect(plan.json()).toMatchObject([{ change: "write", writer: pid, isCurrent: true }]);
});

test("what is read-only, unknown or not plain is refused", async () => {
  const [policy, none, dots] = await Promise.all([
    project.aos("fs", "write", "/policy/rules", "1"),
    project.aos("fs", "cat", "/nowhere/a"),
    project.aos("fs", "cat", "/mem/shared/../working/a"),
  ]);

  for (const { code } of [policy, none, dots]) expect(code).not.toBe(0);
  expect(dots.stderr).toContain("not a plain absolute path");
});
