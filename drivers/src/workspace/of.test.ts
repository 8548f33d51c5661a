// The three kinds of workspace, and what a copy holds.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ALL,
  folderSnapshot,
  plant,
  setMode,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";

const isRoot = process.getuid?.() === 0;
const place = (tree: string, workspace: { folder?: string; isCow: boolean }) => ({
  tree,
  tenant: "default",
  workspace,
});

describe("a workspace", () => {
  test("without a project starts empty, and is its own", async () => {
    using here = testProject({ a: "1" });

    const one = await here.workspaces.of(place("agt_1", { isCow: false }), ALL);
    const other = await here.workspaces.of(place("agt_2", { isCow: false }), ALL);

    expect(one.kind).toBe("private");
    expect(folderSnapshot(one.root)).toEqual({});
    expect(one.root).not.toBe(other.root);
    expect(await one.hidden()).toEqual([]);
  });

  test("of a project as it is, is the project; what may not be read is hidden", async () => {
    using here = testProject({ ".env": "S", "src/.env": "S", "src/a": "1", ".env.example": "1" });
    let asked = 0;
    const mayRead = (path: string) => {
      asked += 1;
      return !path.endsWith("/.env");
    };

    const direct = await here.workspaces.of(
      place("agt_1", { folder: here.project, isCow: false }),
      mayRead,
    );

    expect(direct).toMatchObject({ kind: "direct", root: here.project, project: here.project });
    expect((await direct.hidden()).sort()).toEqual([
      join(here.project, ".env"),
      join(here.project, "src/.env"),
    ]);
    expect(asked).toBe(4);
  });

  test("HIDDEN-3: what is hidden is found anew, whatever was renamed, and by names that are no text", async () => {
    using here = testProject({ "a/.env": "S" });
    const direct = await here.workspaces.of(
      place("agt_1", { folder: here.project, isCow: false }),
      (path) => !path.endsWith("/.env"),
    );
    await direct.hidden();

    renameSync(join(here.project, "a"), join(here.project, "b"));
    const odd = Buffer.concat([Buffer.from(`${here.project}/`), Buffer.from([0xff, 0xfe])]);
    mkdirSync(odd);
    const secret = Buffer.concat([odd, Buffer.from("/.env")]);
    writeFileSync(secret, "S");

    expect(await direct.hidden()).toEqual(
      expect.arrayContaining([join(here.project, "b/.env"), secret]),
    );
    expect(await direct.hidden()).toHaveLength(2);
  });

  test("of a copy is the project again, by the names that agents have for its files", async () => {
    using here = testProject({
      "src/a": "1",
      ".env": "S",
      empty: "",
      "deep/er/still/": "",
      l: "-> src/a",
    });
    plant(here.project, { out: "-> /etc/passwd", nowhere: "-> gone/for/good" });
    setMode(join(here.project, "src/a"), 0o751);
    setMode(join(here.project, "src"), 0o500);
    utimesSync(join(here.project, "src/a"), 1_600_000_000, 1_600_000_000.125);
    const asked: string[] = [];
    const before = folderSnapshot(here.project);

    const root = await here.copy("agt_1", (path) => {
      asked.push(path);
      return path !== "/work/.env";
    });

    const { ".env": _env, ...rest } = before;
    expect(folderSnapshot(root)).toEqual(rest);
    expect(asked.sort()).toEqual(
      [".env", "empty", "l", "nowhere", "out", "src/a"].map((path) => `/work/${path}`),
    );
    expect(lstatSync(join(root, "src/a")).mtimeMs).toBe(1_600_000_000_125);
    expect(folderSnapshot(here.project)).toEqual(before);
  });

  test("set-user-id does not come along", async () => {
    using here = testProject({ tool: "x" });
    setMode(join(here.project, "tool"), 0o6755);

    const root = await here.copy();

    expect(folderSnapshot(root)).toEqual({ tool: "755 x" });
  });

  test("special files are left out, and named", async () => {
    using here = testProject({ a: "1" });
    execFileSync("/usr/bin/mkfifo", [join(here.project, "pipe")]);

    const root = await here.copy();

    expect(folderSnapshot(root)).toEqual({ a: "644 1" });
    const { notes, changes } = await here.workspaces.diff("agt_1");
    expect(changes).toEqual([]);
    expect(notes.join()).toContain("pipe");
  });

  test("what .aosignore names is left out", async () => {
    using here = testProject({
      ".aosignore": "# big\nnode_modules/\n*.iso\nbuild/cache/\n",
      "node_modules/x/y": "1",
      "sub/node_modules/z": "1",
      "a.iso": "1",
      "build/cache/q": "1",
      "build/keep": "1",
      "other/cache/keep": "1",
    });

    const root = await here.copy();

    expect(Object.keys(folderSnapshot(root))).toEqual([
      ".aosignore",
      "build/",
      "build/keep",
      "other/",
      "other/cache/",
      "other/cache/keep",
      "sub/",
    ]);
  });

  test("a project that is too big is refused before anything is copied, with its size", async () => {
    using here = testProject(
      { "big/a": "x".repeat(3000), b: "x".repeat(1000) },
      { maxBytes: 3999 },
    );

    await expect(here.copy()).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringMatching(
        /has 3\.9 KiB in 3 files and folders; a copy may have 3\.9 KiB/,
      ),
      hint: expect.stringMatching(/\.aosignore.*big 2\.9 KiB, b 1000 bytes/),
    });
    expect(await here.workspaces.list()).toEqual([]);
    await expect(
      here.again({ maxBytes: 4000 }).of(place("agt_1", { folder: here.project, isCow: true }), ALL),
    ).resolves.toBeDefined();
  });

  test("is made once, however many ask at once", async () => {
    using here = testProject({ a: "1" });

    const roots = await Promise.all(Array.from({ length: 8 }, () => here.copy()));

    expect(new Set(roots).size).toBe(1);
    expect(await here.workspaces.list()).toMatchObject([{ tree: "agt_1", kind: "copy" }]);
  });

  test("is the same one after a restart, with what was done in it", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    writeFileSync(join(root, "a"), "2");

    const again = await here.again().of(place("agt_1", { folder: here.project, isCow: true }), ALL);

    expect(again.root).toBe(root);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2");
  });

  test.runIf(isRoot)("has a user of its own, who owns all of it, and keeps it", async () => {
    using here = testProject({ "src/a": "1", l: "-> src/a" });

    const one = await here.workspaces.of(
      place("agt_1", { folder: here.project, isCow: true }),
      ALL,
    );
    const two = await here.workspaces.of(place("agt_2", { isCow: false }), ALL);
    const again = await here.again().of(place("agt_2", { isCow: false }), ALL);

    expect(one.user).toEqual({ uid: 61_000, gid: 61_000 });
    expect(two.user).toEqual({ uid: 61_001, gid: 61_001 });
    expect(again.user).toEqual(two.user);
    for (const path of ["", "src", "src/a", "l"])
      expect(lstatSync(join(one.root, path))).toMatchObject({ uid: 61_000, gid: 61_000 });
    expect(lstatSync(two.root).uid).toBe(61_001);
    expect(lstatSync(two.root).mode & 0o777).toBe(0o700);
  });

  test.runIf(isRoot)("is refused when all users are taken", async () => {
    using here = testProject({}, { owner: { firstUid: 61_500, count: 1 } });
    await here.workspaces.of(place("agt_1", { isCow: false }), ALL);

    const second = here.workspaces.of(place("agt_2", { isCow: false }), ALL);

    await expect(second).rejects.toMatchObject({ code: "EAGAIN" });
  });
});

describe("a workspace is refused", () => {
  test("another tenant, and another project, are refused", async () => {
    using here = testProject({ a: "1" });
    await here.copy();
    const workspace = { folder: here.project, isCow: true };
    const strangers = [
      { tree: "agt_1", tenant: "other", workspace },
      { tree: "agt_1", tenant: "default", workspace: { isCow: false } },
      { tree: "agt_1", tenant: "default", workspace: { folder: here.project, isCow: false } },
      { tree: "agt_1", tenant: "default", workspace: { folder: here.top, isCow: true } },
    ];

    for (const stranger of strangers) {
      await expect(here.workspaces.of(stranger, ALL)).rejects.toMatchObject({ code: "EACCES" });
      await expect(here.again().of(stranger, ALL)).rejects.toMatchObject({ code: "EACCES" });
    }
  });

  test.each(["../up", "a/b", "", ".trash", ".", "a".repeat(200)])(
    "a tree called %j is refused",
    async (tree) => {
      using here = testProject({});

      const opening = (async () => here.workspaces.of(place(tree, { isCow: false }), ALL))();

      await expect(opening).rejects.toMatchObject({ code: "EINVAL" });
    },
  );

  test("for a project that holds the workspaces, by whatever name (MAKE-3)", async () => {
    using here = testProject({});
    symlinkSync(here.top, join(here.top, "alias"));
    mkdirSync(join(here.top, "work", "inside"), { recursive: true });

    for (const folder of ["", "alias", "work", "work/inside"])
      for (const isCow of [true, false])
        await expect(
          here.workspaces.of(place("agt_1", { folder: join(here.top, folder), isCow }), ALL),
        ).rejects.toMatchObject({ code: "EINVAL" });
  });

  test("for a project that is not there, or no folder", async () => {
    using here = testProject({ a: "1" });
    const at = (folder: string) => here.workspaces.of(place("agt_1", { folder, isCow: true }), ALL);

    await expect(at(join(here.project, "gone"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(at(join(here.project, "a"))).rejects.toMatchObject({ code: "EINVAL" });
    expect(await here.workspaces.list()).toEqual([]);
  });
});

test("what a crash left of the copying is thrown away, and the copy made anew (MAKE-1)", async () => {
  using here = testProject({ "src/a": "1", b: "2", c: "3" });
  let steps = 0;
  const count = here.again({ step: () => void (steps += 1) });
  await count.of(place("agt_0", { folder: here.project, isCow: true }), ALL);

  for (let at = 1; at <= steps; at += 1) {
    const tree = `agt_${at}`;
    let left = at;
    // A crash has no manners: what it leaves is not cleaned up by anybody.
    const crash = () => {
      left -= 1;
      if (left <= 0) throw new Error("crash");
    };
    await here
      .again({ step: crash })
      .of(place(tree, { folder: here.project, isCow: true }), ALL)
      .catch(() => undefined);

    const made = await here.again().of(place(tree, { folder: here.project, isCow: true }), ALL);

    expect(folderSnapshot(made.root)).toEqual(folderSnapshot(here.project));
    expect((await here.again().diff(tree)).changes).toEqual([]);
  }
  expect(steps).toBeGreaterThan(10);
});

describe("collecting", () => {
  test("removes what ended so long ago, and never a project", async () => {
    using here = testProject({ a: "1" });
    const copy = await here.copy("agt_1");
    writeFileSync(join(copy, "b"), "x".repeat(10_000));
    await here.workspaces.of(place("agt_2", { folder: here.project, isCow: false }), ALL);
    await here.copy("agt_3");
    const isAlive = (tree: string) => tree === "agt_3";

    const first = await here.workspaces.collect(5000, isAlive);
    const early = await here.workspaces.collect(5999, isAlive);
    const late = await here.workspaces.collect(6000, isAlive);

    expect([first.removed, early.removed]).toEqual([[], []]);
    expect(late).toMatchObject({ removed: ["agt_1", "agt_2"], kept: 1 });
    expect(late.bytes).toBeGreaterThan(10_000);
    expect(existsSync(copy)).toBe(false);
    expect(folderSnapshot(here.project)).toEqual({ a: "644 1" });
    expect(await here.workspaces.list()).toMatchObject([{ tree: "agt_3" }]);
  });

  test("the time of a tree that lives again begins anew", async () => {
    using here = testProject({ a: "1" });
    await here.copy();
    await here.workspaces.collect(5000, () => false);
    await here.workspaces.collect(5500, () => true);

    await here.workspaces.collect(6500, () => false);

    expect(await here.workspaces.list()).toMatchObject([{ tree: "agt_1", endedAt: 6500 }]);
  });

  test("a workspace that was removed is made anew when it is asked for again", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    writeFileSync(join(root, "a"), "2");

    const { bytes } = await here.workspaces.remove("agt_1");

    expect(bytes).toBeGreaterThan(0);
    await expect(here.workspaces.remove("agt_1")).rejects.toMatchObject({ code: "ENOENT" });
    expect(readFileSync(join(await here.copy(), "a"), "utf8")).toBe("1");
    expect(realpathSync(root)).toBe(root);
    rmSync(here.project, { recursive: true });
  });
});
