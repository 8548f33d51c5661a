// A copy is committed to its project, and taken back: labels go along both ways.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Json, Label } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import {
  bootWith,
  plugTools,
  trustAnyFolder,
  openProgramRunner,
  type OpenProgramRunner,
} from "@aos/daemon/parts";

let kernel: Kernel;
let runner: OpenProgramRunner;
let top: string;
let project: string;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-commit-marks-")));
  runner = openProgramRunner({ workspaces: { folder: join(top, "work") }, marks: () => kernel });
  kernel = await bootWith(runner, plugTools(runner, { trusted: trustAnyFolder }), {
    policy: [
      {
        layer: "test",
        origin: "test",
        format: "policy",
        document: {
          version: 1,
          rules: [{ id: "rest", allow: "*" }],
          labels: [
            { of: "file:/work/secret/**", label: "trusted/secret" },
            { of: "file:/work/**", label: "trusted/public" },
          ],
        },
      },
    ],
  });
});
afterAll(async () => {
  await kernel.close();
  await runner.close();
  rmSync(top, { recursive: true });
});
beforeEach(() => {
  project = mkdtempSync(join(top, "project-"));
  mkdirSync(join(project, "secret"));
  writeFileSync(join(project, "secret", "plan.txt"), "the plan\n");
  writeFileSync(join(project, "open.txt"), "open\n");
  writeFileSync(join(project, "other.txt"), "other\n");
});

interface Where {
  readonly isCow?: boolean;
  readonly folder?: string;
  readonly label?: Label;
}

async function call(tool: string, args: Json, { isCow = false, folder, label }: Where = {}) {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "worker",
      program: "call",
      tools: [tool],
      capabilities: [`tool:${tool}:call`, "shell:*:exec", "file:/work/**:*"],
    },
    input: { tool, args },
    workspace: { folder: folder ?? project, isCow },
    ...(label === undefined ? {} : { label }),
  });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return { pid, output: output as { stdout: string }, labels: (await kernel.show(pid)).labels };
}

const inCopy = (command: string, more: Where = {}) =>
  call("shell.execute", { command }, { isCow: true, ...more });
const commit = async (pid: string) => runner.workspaces.commit(pid, { mayWrite: () => true });
const labelsOf = async (name: string, more: Where = {}) =>
  (await call("file.read", { path: `/work/${name}` }, more)).labels;
const shownOnline = async (name: string) =>
  (await call("shell.execute", { command: `cat ${name}`, network: true })).output.stdout;

test("what a run in a copy made of secrets is secret in the project after the commit", async () => {
  const { pid } = await inCopy(
    "mkdir -p deep/er; cp secret/plan.txt deep/er/copy.txt; cat secret/plan.txt >> open.txt",
  );
  expect((await labelsOf("open.txt")).secrecy).toBe("public");

  await commit(pid);

  expect((await labelsOf("deep/er/copy.txt")).secrecy).toBe("secret");
  expect((await labelsOf("open.txt")).secrecy).toBe("secret");
  expect((await labelsOf("other.txt")).secrecy).toBe("public");
  expect(await shownOnline("deep/er/copy.txt open.txt other.txt")).toBe("other\n");
  const list = await call("file.list", { path: "/work/deep/er" });
  expect(list.labels.secrecy).toBe("secret");
});

test("what a RED process wrote to its copy by file.write or a shell is untrusted in the project", async () => {
  const label: Label = { integrity: "untrusted", secrecy: "public" };
  const args = { path: "/work/note.txt", text: "do as I say" };
  const byTool = await call("file.write", args, { isCow: true, label });
  const byShell = await inCopy("echo do as I say > said.txt", { label });

  await commit(byTool.pid);
  await commit(byShell.pid);

  expect((await labelsOf("note.txt")).integrity).toBe("untrusted");
  expect((await labelsOf("said.txt")).integrity).toBe("untrusted");
  expect((await labelsOf("other.txt")).integrity).toBe("trusted");
});

test("undo puts back the labels with the bytes, one commit after the other", async () => {
  const { pid } = await inCopy("cat secret/plan.txt > open.txt");
  await commit(pid);
  expect((await labelsOf("open.txt")).secrecy).toBe("secret");

  await runner.workspaces.undo(pid);

  expect((await labelsOf("open.txt")).secrecy).toBe("public");
  expect(await shownOnline("open.txt")).toBe("open\n");
});

test("undo leaves the label of a file that somebody else has marked since", async () => {
  const { pid } = await inCopy("cat secret/plan.txt > open.txt");
  await commit(pid);
  const label: Label = { integrity: "untrusted", secrecy: "public" };
  await call(
    "file.edit",
    { path: "/work/open.txt", edits: [{ old: "plan", new: "plot" }] },
    { label },
  );

  await runner.workspaces.undo(pid, { force: true });

  expect(await labelsOf("open.txt")).toMatchObject({ integrity: "untrusted", secrecy: "secret" });
});

test("a commit that is refused leaves the project's labels as they were", async () => {
  const { pid } = await inCopy("cat secret/plan.txt > open.txt");
  writeFileSync(join(project, "open.txt"), "somebody's\n");

  await expect(commit(pid)).rejects.toMatchObject({ code: "ESTATE" });

  expect((await labelsOf("open.txt")).secrecy).toBe("public");
});

test("one folder by two names has one set of labels", async () => {
  const link = `${project}-link`;
  symlinkSync(project, link);
  const { pid } = await inCopy("cp secret/plan.txt by-link.txt", { folder: link });
  await commit(pid);
  await call("shell.execute", { command: "cp secret/plan.txt direct.txt" }, { folder: link });

  expect((await labelsOf("by-link.txt")).secrecy).toBe("secret");
  expect((await labelsOf("direct.txt")).secrecy).toBe("secret");
  expect((await labelsOf("direct.txt", { folder: link })).secrecy).toBe("secret");
});
