// git, gcc, jq, ripgrep and make as tools, with a real kernel and a real sandbox.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Kernel } from "@aos/kernel";
import type { Json } from "@aos/protocol";
import { createKernel } from "@aos/daemon";

let kernel: Kernel;
let project: string;

beforeAll(async () => {
  kernel = await createKernel();
});
afterAll(() => kernel.close());
beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "aos-programs-")));
});
afterEach(() => rmSync(project, { recursive: true }));

async function call(tool: string, args: object, isCow = false): Promise<Json> {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "caller",
      program: "call",
      tools: [tool],
      capabilities: [`tool:${tool}:call`, "shell:*:exec", "file:/work/**:read,write,list"],
    },
    input: { tool, args: args as Json },
    workspace: { folder: project, isCow },
  });
  const { output, error } = await kernel.wait(pid);
  if (error !== null) throw Object.assign(new Error(error.message), error);
  return output;
}

const git = (...words: string[]) =>
  execFileSync("git", ["-C", project, "-c", "user.name=ada", "-c", "user.email=a@b", ...words], {
    encoding: "utf8",
  });

function repository(): void {
  writeFileSync(join(project, "a.txt"), "one\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
}

test("git.status, diff, commit and log work on a repository", async () => {
  repository();
  writeFileSync(join(project, "a.txt"), "two\n");
  writeFileSync(join(project, "new file"), "");
  expect(await call("git.status", {})).toEqual({
    branch: { name: "main", ahead: 0, behind: 0 },
    files: [
      { path: "a.txt", unstaged: "modified" },
      { path: "new file", unstaged: "untracked" },
    ],
  });
  expect(await call("git.diff", {})).toMatchObject({
    diff: expect.stringContaining("-one\n+two\n"),
  });
  const committed = await call("git.commit", { message: "second\n\nwith a body", all: true });
  expect(committed).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(await call("git.log", { limit: 1 })).toMatchObject({
    commits: [{ subject: "second", body: "with a body", author: "agent <agent@aos.invalid>" }],
  });
  await expect(call("git.commit", { message: "nothing" })).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: expect.stringContaining("nothing to commit"),
  });
});

test("GIT-TOOLS-1: what a repository would have git run is not run, and never outside the sandbox", async () => {
  repository();
  const witness = join(project, "ran");
  const evil = join(project, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho "$0" >> ${witness}; echo ran >> /work/ran\n`);
  chmodSync(evil, 0o755);
  for (const hook of ["pre-commit", "post-commit", "commit-msg", "post-index-change"]) {
    writeFileSync(join(project, ".git/hooks", hook), readFileSync(evil));
    chmodSync(join(project, ".git/hooks", hook), 0o755);
  }
  git("config", "core.fsmonitor", "/work/evil.sh");
  git("config", "core.hooksPath", "/work/.git/hooks");
  git("config", "core.pager", "/work/evil.sh");
  git("config", "diff.external", "/work/evil.sh");
  git("config", "gpg.program", "/work/evil.sh");
  git("config", "commit.gpgSign", "true");
  writeFileSync(join(project, "a.txt"), "three\n");
  await call("git.status", {});
  await call("git.diff", {});
  await call("git.log", {});
  await call("git.commit", { message: "m", paths: ["a.txt"] });
  expect(existsSync(witness)).toBe(false);
});

test("names of commits cannot be options", async () => {
  repository();
  for (const from of ["--output=/work/x", "-O/work/x", "main --all"])
    await expect(call("git.log", { from })).rejects.toMatchObject({ code: "EINVAL" });
});

test("a C program is compiled, and run", async () => {
  writeFileSync(join(project, "hello.c"), '#include <stdio.h>\nint main(void){puts("hello");}\n');
  await call("build.gcc", { sources: ["/work/hello.c"], into: "/work/hello" });
  expect(await call("shell.execute", { command: ["/work/hello"] })).toMatchObject({
    code: 0,
    stdout: "hello\n",
  });
  writeFileSync(join(project, "bad.c"), "int main(void){return x;}\n");
  await expect(call("build.gcc", { sources: ["bad.c"], into: "bad" })).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: expect.stringContaining("undeclared"),
  });
});

test("jq works on what it is given, or on a file", async () => {
  expect(await call("json.jq", { filter: ".a[1]", json: { a: [1, 2] } })).toMatchObject({
    json: 2,
  });
  writeFileSync(join(project, "a.json"), '{"b": "text"}');
  expect(await call("json.jq", { filter: ".b", path: "/work/a.json" })).toMatchObject({
    json: "text",
  });
  await expect(call("json.jq", { filter: "--rawfile x /etc/passwd" })).rejects.toMatchObject({
    code: "EINVAL",
  });
});

test("json.query needs no program", async () => {
  const json = {
    people: [
      { name: "ada", age: 36 },
      { name: "bob", age: 7 },
    ],
  };
  expect(await call("json.query", { json, query: "people[?age > `20`].name" })).toEqual(["ada"]);
  await expect(call("json.query", { json, query: "people[" })).rejects.toMatchObject({
    code: "EINVAL",
  });
});

test("ripgrep finds lines; to find none is no failure", async () => {
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/a.ts"), "const x = 1;\n");
  expect(await call("text.ripgrep", { pattern: "const \\w", path: "/work" })).toMatchObject({
    lines: ["/work/src/a.ts:1:const x = 1;"],
  });
  expect(await call("text.ripgrep", { pattern: "nowhere", path: "/work" })).toMatchObject({
    lines: [],
  });
});

test("make is found by its file, and its failure is a result", async () => {
  writeFileSync(join(project, "Makefile"), "all:\n\t@echo built\nfail:\n\t@exit 3\n");
  expect(await call("build.run", { target: "all" })).toMatchObject({
    system: "make",
    code: 0,
    stdout: "built\n",
  });
  expect(await call("build.run", { target: "fail" })).toMatchObject({ code: 2 });
  rmSync(join(project, "Makefile"));
  await expect(call("build.run", {})).rejects.toMatchObject({ code: "ENOENT" });
});
