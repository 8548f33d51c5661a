// A code agent in a copy of a project: it greps, edits, builds, tests and commits there; the project is
// touched only when a person lets it through, and is as it was when that is taken back.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestHome, ROOT, type TestHome } from "../home.ts";

let home: TestHome;
let project: string;
const git = (...words: string[]) =>
  execFileSync("git", ["-C", project, "-c", "user.name=ada", "-c", "user.email=a@b", ...words], {
    encoding: "utf8",
    env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" }, // to look is not to change
  });
const source = () => readFileSync(join(project, "sum.mjs"), "utf8");

beforeEach(() => {
  home = createTestHome();
  project = mkdtempSync(join(tmpdir(), "aos-project-"));
  cpSync(join(ROOT, "examples/code-fix/project"), project, { recursive: true });
  writeFileSync(join(project, ".env"), "KEY=secret-of-the-project\n");
  git("init", "-q");
  git("add", "sum.mjs", "package.json", "test");
  git("commit", "-qm", "first");
});
afterEach(async () => {
  await home.remove();
  rmSync(project, { recursive: true, force: true, maxRetries: 20 });
});

const run = () => home.aos("run", "examples/code-fix", "--dir", project, "--cow");

test("it works in a copy; diff shows it, commit lets it through, undo takes it back", async () => {
  const before = source();
  const ran = await run();
  expect(ran.stdout).toContain("Mended, tested and committed.");
  expect(ran.code).toBe(0);

  expect(source()).toBe(before);
  expect(git("log", "--oneline").trim().split("\n")).toHaveLength(1);

  const diff = await home.aos("diff", "@last");
  expect(diff.stdout).toContain("-  for (let i = 0; i < numbers.length - 1; i++)");
  expect(diff.stdout).toContain("+  for (let i = 0; i < numbers.length; i++)");
  const { changes } = (await home.aos("diff", "@last", "-o", "json")).json() as {
    changes: { path: string; change: string }[];
  };
  expect(changes).toContainEqual(
    expect.objectContaining({ path: "/work/sum.mjs", change: "changed" }),
  );

  const committed = await home.aos("commit", "@last");
  expect(committed.stderr).not.toContain("error");
  expect(committed.code).toBe(0);
  expect(source()).not.toBe(before);
  expect(git("log", "--format=%s", "-1").trim()).toBe("total: count the last number too");
  expect(git("status", "--porcelain").trim()).toBe("?? .env");

  expect((await home.aos("undo", "@last")).code).toBe(0);
  expect(source()).toBe(before);
  expect(git("log", "--oneline").trim().split("\n")).toHaveLength(1);
  expect(git("fsck").trim()).toBe("");
});

test("undo before a commit: the workspace is as the project is", async () => {
  expect((await run()).code).toBe(0);
  expect((await home.aos("undo", "@last")).code).toBe(0);
  const { changes } = (await home.aos("diff", "@last", "-o", "json")).json() as { changes: [] };
  expect(changes).toEqual([]);
});

test("what the policy keeps from agents is not in the copy, and what changed meanwhile is not overwritten", async () => {
  expect((await run()).code).toBe(0);
  const asked = await home.aos(
    "tool",
    "call",
    "shell.execute",
    `{"command": "cat /work/.env; ls -a /work"}`,
    "--dir",
    project,
    "--cow",
  );
  expect(asked.stdout).not.toContain("secret-of-the-project");
  expect(asked.stdout).toContain("sum.mjs");

  const [{ pid }] = (await home.aos("ps", "-a", "-o", "json")).json() as [{ pid: string }];
  const coder = (
    (await home.aos("ps", "-a", "-o", "json")).json() as { pid: string; agent: string }[]
  ).find(({ agent }) => agent === "code-fix")!.pid;
  expect(pid).not.toBe(coder);
  writeFileSync(join(project, "sum.mjs"), "// ada was here\n");
  const refused = await home.aos("commit", coder, "-o", "json");
  expect(refused.code).not.toBe(0);
  expect(refused.error().message).toContain("sum.mjs");
  expect(source()).toBe("// ada was here\n");
});
