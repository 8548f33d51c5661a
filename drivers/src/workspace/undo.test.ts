// What undo takes back, and what it does not touch.

import { lstatSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ALL,
  folderSnapshot,
  plant,
  setMode,
  type TestProject,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";

const commit = (here: TestProject) => here.workspaces.commit("agt_1", { mayWrite: ALL });

describe("undo after a commit", () => {
  const committed = async () => {
    const here = testProject({ a: "1", b: "1" });
    const root = await here.copy();
    plant(root, { a: "2", b: "2", c: "2" });
    await commit(here);
    return { here, root };
  };

  test("is refused where files have changed since, which are named", async () => {
    const { here, root } = await committed();
    using _ = here;
    plant(here.project, { b: "mine" });
    const before = folderSnapshot(here.project);

    await expect(here.workspaces.undo("agt_1")).rejects.toMatchObject({
      code: "ESTATE",
      message: "changed in the project since the commit: b",
      detail: { changed: ["b"] },
    });

    expect(folderSnapshot(here.project)).toEqual(before);
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2");
  });

  test("puts the old files in their place when it is forced", async () => {
    const { here } = await committed();
    using _ = here;
    plant(here.project, { b: "mine", c: "mine", d: "mine" });

    await here.workspaces.undo("agt_1", { force: true });

    expect(folderSnapshot(here.project)).toEqual({ a: "644 1", b: "644 1", d: "644 mine" });
  });

  test("gives files the time that they had", async () => {
    using here = testProject({ a: "1" });
    utimesSync(join(here.project, "a"), 1000, 1000);
    const root = await here.copy();
    plant(root, { a: "2" });
    utimesSync(join(root, "a"), 2000, 2000);

    await commit(here);
    expect(lstatSync(join(here.project, "a")).mtimeMs).toBe(2_000_000);
    await here.workspaces.undo("agt_1");
    expect(lstatSync(join(here.project, "a")).mtimeMs).toBe(1_000_000);
  });

  test("does not put damaged bytes in the place of good ones", async () => {
    const { here } = await committed();
    using _ = here;
    const blobs = join(here.top, "work/agt_1/commits/1/blobs");
    writeFileSync(join(blobs, "0.old"), "X");

    await expect(here.workspaces.undo("agt_1")).rejects.toMatchObject({ code: "ECORRUPT" });

    expect(readFileSync(join(here.project, "a"), "utf8")).toBe("2");
  });

  test("can be followed by another commit", async () => {
    const { here, root } = await committed();
    using _ = here;
    await here.workspaces.undo("agt_1");
    plant(root, { a: "3" });

    expect(await here.workspaces.diff("agt_1")).toMatchObject({ state: "open" });
    expect((await commit(here)).files).toEqual(["/work/a"]);
    expect(folderSnapshot(here.project)).toEqual({ a: "644 3", b: "644 1" });
    expect(await here.workspaces.diff("agt_1")).toMatchObject({ state: "committed" });
  });
});

describe("undo before a commit", () => {
  test("finds a change whose time was set back", async () => {
    using here = testProject({ a: "1" });
    utimesSync(join(here.project, "a"), 1000, 1000);
    const root = await here.copy();
    writeFileSync(join(root, "a"), "2");
    utimesSync(join(root, "a"), 1000, 1000);

    expect((await here.workspaces.diff("agt_1")).changes).toMatchObject([{ change: "changed" }]);
    await here.workspaces.undo("agt_1");

    expect(readFileSync(join(root, "a"), "utf8")).toBe("1");
  });

  test("takes what the project has by now, where that has changed, and says so", async () => {
    using here = testProject({ a: "1", b: "1", c: "1" });
    const root = await here.copy();
    plant(root, { a: "2", b: "2" });
    plant(here.project, { a: "mine" });
    rmSync(join(here.project, "b"));

    const { notes } = await here.workspaces.undo("agt_1");

    expect(notes).toEqual(["now with the current content of the project: a, b"]);
    expect(folderSnapshot(root)).toEqual({ a: "644 mine", c: "644 1" });
    expect((await here.workspaces.diff("agt_1")).changes).toEqual([]);
  });

  test("of a workspace of its own leaves it empty", async () => {
    using here = testProject({});
    const workspace = { isCow: false };
    const { root } = await here.workspaces.of({ tree: "agt_1", tenant: "t", workspace }, ALL);
    plant(root, { "a/b": "1", c: "-> a" });
    setMode(join(root, "a"), 0);

    expect((await here.workspaces.diff("agt_1")).changes).toMatchObject([
      { path: "/work/a", change: "added", kind: "folder" },
      { path: "/work/a/b", change: "added", diff: expect.stringContaining("+1") },
      { path: "/work/c", change: "added", kind: "link" },
    ]);
    await here.workspaces.undo("agt_1");

    expect(folderSnapshot(root)).toEqual({});
  });
});
