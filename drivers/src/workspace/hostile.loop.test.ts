// What an agent may leave in its workspace to make trouble for whoever looks at it from outside.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, inject, test } from "vitest";
import { Folder } from "./folder.ts";
import {
  ALL,
  folderSnapshot,
  plant,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";
import { reset } from "./reset.ts";
import { startCopyJob } from "./copy-entry.ts";
import { EMPTY_BASE } from "./base.ts";
import { openTrash } from "./trash.ts";
import { MAX_FOLDER_DEPTH } from "./walk.ts";

/** Folders in folders, deeper than any path can say. */
function nest(folder: string, levels: number): void {
  const dig = `for (let at = 0; at < ${levels}; at += 1) { fs.mkdirSync("d"); process.chdir("d"); }`;
  execFileSync(process.execPath, ["-e", dig], { cwd: folder });
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

describe("thousands of nested folders", () => {
  test("are told, not carried over, and taken back", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    nest(root, inject("isDeep") ? 5000 : MAX_FOLDER_DEPTH * 2);
    const before = descriptors();

    const { changes, notes } = await here.workspaces.diff("agt_1");
    expect(changes).toHaveLength(MAX_FOLDER_DEPTH);
    expect(notes.join()).toContain(`${MAX_FOLDER_DEPTH} folders deep`);

    await here.workspaces.undo("agt_1");
    expect(folderSnapshot(root)).toEqual({ a: "644 1" });
    expect(readdirSync(join(here.top, "work/.trash"))).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(before + 2);
  });

  test("nested folders are deleted with the workspace", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    nest(root, inject("isDeep") ? 3000 : MAX_FOLDER_DEPTH * 2);

    await here.workspaces.remove("agt_1");

    expect(existsSync(root)).toBe(false);
    expect(readdirSync(join(here.top, "work/.trash"))).toEqual([]);
  });

  test("in a project are refused, and leave nothing", async () => {
    using here = testProject({ a: "1" });
    nest(here.project, MAX_FOLDER_DEPTH + 1);
    const direct = { folder: here.project, isCow: false };

    await expect(here.copy()).rejects.toMatchObject({ code: "EINVAL" });
    const workspace = await here.workspaces.of(
      { tree: "agt_2", tenant: "t", workspace: direct },
      ALL,
    );
    await expect(workspace.hidden()).rejects.toMatchObject({ code: "EINVAL" });
  });
});

test("names of the greatest length, that are no text, or that turn the writing, come and go", async () => {
  using here = testProject({ a: "1" });
  const root = await here.copy();
  writeFileSync(join(root, "x".repeat(255)), "1");
  writeFileSync(join(root, "\u202Egpj.exe\n"), "1");
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xc3, 0x28])]), "1");

  const { changes, notes } = await here.workspaces.diff("agt_1");
  expect(changes).toHaveLength(2);
  expect(notes.join()).toContain("its name is not UTF-8");

  await here.workspaces.undo("agt_1");
  expect(readdirSync(root)).toEqual(["a"]);
});

test("more files than can be told of are taken back all the same", async () => {
  using here = testProject({});
  plant(here.top, { "copy/a": "1", "copy/b/c": "1" });
  await using copy = await Folder.open(join(here.top, "copy"));
  await using home = await Folder.open(here.top);
  await using trash = await openTrash(home);
  const sides = { base: EMPTY_BASE, project: undefined, copy };

  await reset({ ...sides, trash, copying: startCopyJob(undefined), maxEntries: 1 });

  expect(folderSnapshot(join(here.top, "copy"))).toEqual({});
});

test("pipes and sockets in the place of files are never opened", async () => {
  using here = testProject({ a: "1", "d/x": "1" });
  const root = await here.copy();
  rmSync(join(root, "a"));
  execFileSync("/usr/bin/mkfifo", [join(root, "a"), join(root, "d/pipe")]);

  const { notes } = await here.workspaces.diff("agt_1");
  expect(notes.join()).toContain("d/pipe");
  await here.workspaces.undo("agt_1");

  expect(folderSnapshot(root)).toEqual(folderSnapshot(here.project));
});

test("a file that grows and shrinks while it is committed is committed as it was at one time, or not", async () => {
  using here = testProject({ a: "" });
  const root = await here.copy();
  const stop = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { writeFileSync, truncateSync } = require("node:fs");
     const { workerData: { file, stop } } = require("node:worker_threads");
     for (let at = 0; Atomics.load(stop, 0) === 0; at += 1) {
       writeFileSync(file, String(at % 10).repeat(100000));
       Atomics.store(stop, 1, 1);
       truncateSync(file, 10);
     }`,
    { eval: true, workerData: { file: join(root, "a"), stop } },
  );
  while (Atomics.load(stop, 1) === 0) await new Promise((resolve) => setImmediate(resolve));

  for (let tries = 0; tries < 20; tries += 1) {
    await here.workspaces.commit("agt_1", { mayWrite: ALL }).catch((error: { code: string }) => {
      expect(error.code).toBe("ESTATE");
    });
    expect(folderSnapshot(here.project)["a"]).toMatch(/^644 (.?)\1*$/);
  }

  Atomics.store(stop, 0, 1);
  await new Promise((resolve) => worker.once("exit", resolve));
});

test("links and folders that are swapped all the time lead nowhere else", async () => {
  using here = testProject({ "way/x": "mine" });
  const secret = join(here.top, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "x"), "SECRET");
  const root = await here.copy();
  const stop = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(
    `const { mkdirSync, renameSync, symlinkSync, rmSync, writeFileSync } = require("node:fs");
     const { workerData: { root, secret, stop } } = require("node:worker_threads");
     const quietly = (act) => { try { act(); } catch {} };
     while (Atomics.load(stop, 0) === 0) {
       quietly(() => renameSync(root + "/way", root + "/old"));
       quietly(() => symlinkSync(secret, root + "/way"));
       Atomics.store(stop, 1, 1);
       quietly(() => rmSync(root + "/way"));
       quietly(() => renameSync(root + "/old", root + "/way"));
       quietly(() => mkdirSync(root + "/way"));
       quietly(() => writeFileSync(root + "/way/x", "agent"));
     }`,
    { eval: true, workerData: { root, secret, stop } },
  );
  while (Atomics.load(stop, 1) === 0) await new Promise((resolve) => setImmediate(resolve));

  for (let tries = 0; tries < 30; tries += 1) {
    const { changes } = await here.workspaces.diff("agt_1");
    expect(JSON.stringify(changes)).not.toContain("SECRET");
    await here.workspaces.commit("agt_1", { mayWrite: ALL, force: true }).catch(() => undefined);
    await here.workspaces.undo("agt_1", { force: true }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "ESTATE" });
    });
  }
  Atomics.store(stop, 0, 1);
  await new Promise((resolve) => worker.once("exit", resolve));

  expect(folderSnapshot(secret)).toEqual({ x: "644 SECRET" });
  expect(JSON.stringify(folderSnapshot(here.project))).not.toContain("SECRET");
});

test("a file far bigger than the disk is told by its size, at once", async () => {
  using here = testProject({ a: "1" });
  const root = await here.copy();
  truncateSync(join(root, "a"), 2 ** 40);
  symlinkSync("a", join(root, "l"));

  const { changes } = await here.workspaces.diff("agt_1");

  expect(changes).toMatchObject([
    {
      path: "/work/a",
      after: 2 ** 40,
      isBinary: true,
      diff: expect.stringContaining("1.0 TiB now"),
    },
    { path: "/work/l", kind: "link" },
  ]);
});
