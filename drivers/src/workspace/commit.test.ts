// What a commit refuses, and what can be taken back.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ALL,
  folderSnapshot,
  plant,
  type TestProject,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";

const commit = (
  here: TestProject,
  more: { force?: boolean; mayWrite?: (path: string) => boolean } = {},
) => here.workspaces.commit("agt_1", { mayWrite: ALL, ...more });

describe("a commit is refused as a whole, before anything is touched", () => {
  const changedTwice = async () => {
    const here = testProject({ a: "1", b: "1", "d/x": "1" });
    const root = await here.copy();
    plant(root, { a: "agent", b: "agent", "new/file": "agent" });
    return { here, root };
  };

  test("where the project has changed since (WORKSPACE-PLAN-1)", async () => {
    const { here } = await changedTwice();
    using _ = here;
    writeFileSync(join(here.project, "b"), "mine");
    const before = folderSnapshot(here.project);

    await expect(commit(here)).rejects.toMatchObject({
      code: "ESTATE",
      message: expect.stringMatching(/^nothing was committed\. .*: b$/),
      detail: { conflicts: ["b"], power: [] },
    });
    expect(folderSnapshot(here.project)).toEqual(before);
  });

  test("even when size and time of the project's file are as before", async () => {
    const { here } = await changedTwice();
    using _ = here;
    const { atime, mtime } = lstatSync(join(here.project, "b"));
    writeFileSync(join(here.project, "b"), "2");
    utimesSync(join(here.project, "b"), atime, mtime);

    await expect(commit(here)).rejects.toMatchObject({ detail: { conflicts: ["b"] } });
  });

  test("where the project has by now what the agent made, too, or a link there", async () => {
    const { here } = await changedTwice();
    using _ = here;
    plant(here.project, { "new/file": "mine", "elsewhere/": "" });
    await expect(commit(here)).rejects.toMatchObject({
      detail: { conflicts: ["new/file"] },
    });

    rmSync(join(here.project, "new"), { recursive: true });
    symlinkSync("elsewhere", join(here.project, "new"));
    await expect(commit(here)).rejects.toMatchObject({ detail: { conflicts: ["new"] } });
    expect(folderSnapshot(join(here.project, "elsewhere"))).toEqual({});
  });

  test("where a folder that it writes to is gone, or a link by now", async () => {
    using here = testProject({ "d/x": "1", "other/": "" });
    const root = await here.copy();
    writeFileSync(join(root, "d/y"), "agent");
    renameSync(join(here.project, "d"), join(here.project, "moved"));
    await expect(commit(here)).rejects.toMatchObject({ detail: { conflicts: ["d"] } });

    symlinkSync(join(here.project, "other"), join(here.project, "d"));
    await expect(commit(here)).rejects.toMatchObject({ detail: { conflicts: ["d"] } });
    expect(folderSnapshot(join(here.project, "other"))).toEqual({});
  });

  test("where a folder that goes holds what the agent never had", async () => {
    using here = testProject({ "d/x": "1" });
    const root = await here.copy();
    rmSync(join(root, "d"), { recursive: true });
    writeFileSync(join(here.project, "d/mine"), "1");

    await expect(commit(here)).rejects.toMatchObject({ detail: { conflicts: ["d/mine"] } });
    await expect(commit(here, { force: true })).rejects.toMatchObject({
      detail: { conflicts: ["d/mine"] },
    });
    expect(readFileSync(join(here.project, "d/x"), "utf8")).toBe("1");
  });

  test("where two names are one on many volumes", async () => {
    using here = testProject({});
    const root = await here.copy();
    plant(root, { readme: "1", README: "2" });

    await expect(commit(here)).rejects.toMatchObject({
      detail: { conflicts: ["README", "readme"] },
    });
  });

  test("a commit of what the policy forbids is refused, forced or not (WORKSPACE-PLAN-3)", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    plant(root, { a: "2", ".env": "agent" });
    const mayWrite = (path: string) => path !== "/work/.env";

    for (const force of [false, true])
      await expect(commit(here, { force, mayWrite })).rejects.toMatchObject({
        code: "EPOLICY",
        message: expect.stringContaining(".env"),
      });
    expect(folderSnapshot(here.project)).toEqual({ a: "644 1" });
  });

  test("where a file would give power on the machine", async () => {
    using here = testProject({
      ".git/config": "[core]\n\tbare = false\n",
      ".git/HEAD": "x",
      a: "1",
    });
    const root = await here.copy();
    plant(root, {
      a: "2",
      ".git/HEAD": "y",
      ".git/config": "[core]\n\tbare = false\n\tfsmonitor = ./x\n",
      ".git/hooks/pre-commit": "#!/bin/sh",
      ".agents/policy.yaml": "allow: all",
      ".aosignore": "a",
      out: "-> ../../x",
    });
    const before = folderSnapshot(here.project);

    const refused = await commit(here).catch((error: unknown) => error);

    expect(refused).toMatchObject({
      code: "ESTATE",
      detail: {
        conflicts: [],
        power: [
          expect.stringMatching(/^\.agents \(/),
          expect.stringMatching(/^\.agents\/policy\.yaml \(/),
          expect.stringMatching(/^\.aosignore \(/),
          ".git/config (git obeys it: core.fsmonitor)",
          ".git/hooks/pre-commit (git runs hooks)",
          "out (it leads out of the project)",
        ],
      },
    });
    expect(folderSnapshot(here.project)).toEqual(before);
    await commit(here, { force: true });
    expect(folderSnapshot(here.project)).toEqual(folderSnapshot(root));
  });

  test("a commit is taken back when somebody changes a file in the middle of it", async () => {
    using here = testProject({ a: "1", b: "1" });
    const root = await here.copy();
    plant(root, { a: "2", b: "2", "new/x": "2" });
    let isBegun = false;
    const step = (what: string) => {
      if (what === "rename a" && !isBegun) writeFileSync(join(here.project, "b"), "mine");
      isBegun ||= what === "rename a";
    };

    const commit = here.again({ step }).commit("agt_1", { mayWrite: ALL });

    await expect(commit).rejects.toMatchObject({
      code: "ESTATE",
      message: "nothing was committed: b was changed at the same time",
    });
    expect(isBegun).toBe(true);
    expect(folderSnapshot(here.project)).toEqual({ a: "644 1", b: "644 mine" });
    expect((await here.workspaces.diff("agt_1")).changes).toHaveLength(4);
  });

  test("where there is more than may be kept", async () => {
    using here = testProject({ a: "1" }, { maxBytes: 1000 });
    const root = await here.copy();
    writeFileSync(join(root, "huge"), "");
    truncateSync(join(root, "huge"), 2 ** 40);

    await expect(commit(here)).rejects.toMatchObject({
      code: "EINVAL",
      message: "huge has 1.0 TiB, which is above the limit",
    });
    expect((await here.workspaces.diff("agt_1")).changes).toMatchObject([{ path: "/work/huge" }]);
  });

  test("for a workspace that has no copy of a project", async () => {
    using here = testProject({});
    const at = (tree: string, workspace: { folder?: string; isCow: boolean }) =>
      here.workspaces.of({ tree, tenant: "default", workspace }, ALL);
    await at("agt_1", { isCow: false });
    await at("agt_2", { folder: here.project, isCow: false });

    await expect(commit(here)).rejects.toMatchObject({ code: "ESTATE" });
    for (const act of [
      here.workspaces.diff("agt_2"),
      here.workspaces.undo("agt_2"),
      here.workspaces.commit("agt_2", { mayWrite: ALL }),
    ])
      await expect(act).rejects.toMatchObject({
        code: "ESTATE",
        message: expect.stringContaining("was not started with --cow"),
      });
    await expect(here.workspaces.diff("agt_9")).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("a commit", () => {
  test("leaves set-user-id behind", async () => {
    using here = testProject({ "d/": "" });
    const root = await here.copy();
    plant(root, { "d/new": "1" });
    chmodSync(join(root, "d/new"), 0o6755);

    await commit(here);

    expect(folderSnapshot(here.project)).toMatchObject({ "d/new": "755 1" });
  });

  test.runIf(process.getuid?.() === 0)(
    "gives a file to who had it before, and a new one to who has the folder",
    async () => {
      using here = testProject({ a: "1", "d/x": "1" });
      chownSync(join(here.project, "a"), 1201, 1202);
      chownSync(join(here.project, "d"), 1203, 1204);
      const root = await here.copy();
      plant(root, { a: "2", "d/new": "1", "d/e/l": "-> x" });

      await commit(here);

      const ownerOf = (path: string) => {
        const { uid, gid } = lstatSync(join(here.project, path));
        return [uid, gid];
      };
      expect(ownerOf("a")).toEqual([1201, 1202]);
      for (const path of ["d/new", "d/e", "d/e/l"]) expect(ownerOf(path)).toEqual([1203, 1204]);
      await here.workspaces.undo("agt_1");
      expect(ownerOf("a")).toEqual([1201, 1202]);
    },
  );

  test("of a file that the user has changed in the same way is no conflict", async () => {
    using here = testProject({ a: "1", b: "1" });
    const root = await here.copy();
    plant(root, { a: "2", b: "2" });
    writeFileSync(join(here.project, "a"), "2");

    expect((await commit(here)).files).toEqual(["/work/b"]);
  });

  test("leaves a folder that holds what was not copied", async () => {
    using here = testProject({ "d/.env": "S", "d/x": "1" });
    const root = await here.copy("agt_1", (path) => !path.endsWith(".env"));
    rmSync(join(root, "d"), { recursive: true });

    const { files, notes } = await commit(here);

    expect(files).toEqual(["/work/d/x"]);
    expect(notes.join()).toContain("kept");
    expect(folderSnapshot(here.project)).toEqual({ "d/": "755", "d/.env": "644 S" });
  });

  test("that is forced keeps what it writes over, for undo", async () => {
    using here = testProject({ a: "1", "d/x": "1", e: "1" });
    const root = await here.copy();
    plant(root, { a: "agent", "d/x": "agent" });
    rmSync(join(root, "e"));
    plant(here.project, { a: "mine", e: "mine" });
    rmSync(join(here.project, "d"), { recursive: true });
    const before = folderSnapshot(here.project);

    await commit(here, { force: true });
    expect(folderSnapshot(here.project)).toEqual(folderSnapshot(root));

    await here.workspaces.undo("agt_1");
    expect(folderSnapshot(here.project)).toEqual(before);
  });

  test("goes through no link, wherever one is planted", async () => {
    using here = testProject({ "d/x": "1", "e/x": "1" });
    const secret = join(here.top, "secret");
    mkdirSync(secret);
    writeFileSync(join(secret, "x"), "SECRET");
    const root = await here.copy();
    rmSync(join(root, "d"), { recursive: true });
    symlinkSync(secret, join(root, "d"));
    writeFileSync(join(root, "e/x"), "2");
    renameSync(join(here.project, "e"), join(here.project, "e2"));
    symlinkSync(secret, join(here.project, "e"));

    const { changes } = await here.workspaces.diff("agt_1");
    expect(JSON.stringify(changes)).not.toContain("SECRET");
    await expect(commit(here)).rejects.toMatchObject({ code: "ESTATE" });
    await commit(here, { force: true });

    expect(folderSnapshot(secret)).toEqual({ x: "644 SECRET" });
    expect(folderSnapshot(here.project)).toMatchObject({ d: `-> ${secret}`, "e/x": "644 2" });
  });

  test("does not carry pipes over, and says so", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    writeFileSync(join(root, "a"), "2");
    execFileSync("/usr/bin/mkfifo", [join(root, "pipe")]);

    const { files, notes } = await commit(here);

    expect(files).toEqual(["/work/a"]);
    expect(notes.join()).toContain("pipe");
  });

  test("is of a project that is still the same folder", async () => {
    using here = testProject({ a: "1" });
    const root = await here.copy();
    writeFileSync(join(root, "a"), "2");
    renameSync(here.project, `${here.project}2`);
    plant(here.top, { "project/a": "1" });

    await expect(commit(here)).rejects.toMatchObject({
      code: "ESTATE",
      message: expect.stringContaining("removed or replaced"),
    });
  });
});
