// What a folder that is held open lets happen to its names, while others play with them.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Folder } from "./folder.ts";
import {
  modeOf,
  setMode,
  type TestProject,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";
import { inspectPath } from "./path-state.ts";
import { skipReasonText, walkTree } from "./walk.ts";

let place: TestProject;
let folder: Folder;
let secret: string;
beforeEach(async () => {
  place = testProject({ "src/a": "mine", "way/a": "mine" });
  secret = join(place.top, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "a"), "SECRET");
  folder = await Folder.open(place.project);
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

describe("links are not followed (FOLDER-1, FOLDER-2)", () => {
  test("a link to a folder is not entered", async () => {
    symlinkSync(secret, join(place.project, "out"));

    await expect(folder.into("out")).rejects.toMatchObject({ code: "ENOTDIR" });
    await expect(folder.along(["out"])).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  test("a link to a file is not opened", async () => {
    symlinkSync(join(secret, "a"), join(place.project, "out"));

    await expect(folder.openFile("out")).rejects.toMatchObject({ code: "ELOOP" });
  });

  test("a folder that is swapped for a link while it is held is still the folder", async () => {
    await using way = await folder.into("way");
    renameSync(join(place.project, "way"), join(place.project, "old"));
    symlinkSync(secret, join(place.project, "way"));

    await way.removeFile("a");
    await using made = await way.createFile("b");
    await made.writeFile("x");

    expect(readFileSync(join(secret, "a"), "utf8")).toBe("SECRET");
    expect(readFileSync(join(place.project, "old", "b"), "utf8")).toBe("x");
  });

  test("the mode of what a link leads to stays as it is", async () => {
    setMode(join(secret, "a"), 0o600);
    symlinkSync(join(secret, "a"), join(place.project, "out"));

    await expect(folder.setMode("out", 0o777)).rejects.toThrow();

    expect(modeOf(join(secret, "a"))).toBe(0o600);
  });

  test("nothing that stands there is opened to be written (FOLDER-3)", async () => {
    symlinkSync(join(secret, "a"), join(place.project, "out"));

    await expect(folder.createFile("out")).rejects.toMatchObject({ code: "EEXIST" });
    await expect(folder.createFile("src")).rejects.toMatchObject({ code: "EEXIST" });
  });
});

test("a pipe is not waited for, and is no file", async () => {
  execFileSync("/usr/bin/mkfifo", [join(place.project, "pipe")]);

  await expect(folder.openFile("pipe")).rejects.toMatchObject({ code: "EINVAL" });
});

test.each(["", ".", "..", "a/b", "../secret/a", "src/../../secret", "a\0b"])(
  "%j is no name",
  async (name) => {
    await expect((async () => folder.look(name))()).rejects.toMatchObject({ code: "EINVAL" });
    await expect((async () => folder.look(Buffer.from(name)))()).rejects.toMatchObject({
      code: "EINVAL",
    });
  },
);

test("set-user-id is not seen, and stays as it is when a mode is set", async () => {
  setMode(join(place.project, "src"), 0o2755);

  await folder.setMode("src", 0o700);

  expect((await inspectPath(folder, "src"))?.mode).toBe(0o700);
  expect(modeOf(join(place.project, "src"))).toBe(0o2700);
});

describe("a walk", () => {
  test("does not leave the folder (WALK-1), and names what it cannot tell (WALK-3)", async () => {
    symlinkSync(secret, join(place.project, "out"));
    execFileSync("/usr/bin/mkfifo", [join(place.project, "pipe")]);
    writeFileSync(Buffer.concat([Buffer.from(`${place.project}/`), Buffer.from([0xff, 0xfe])]), "");

    const { entries, skipped } = await walkTree(folder);

    expect([...entries.keys()]).toEqual(["out", "src", "src/a", "way", "way/a"]);
    expect(entries.get("out")).toMatchObject({ kind: "link", target: secret });
    expect(skipped.map(({ reason }) => skipReasonText[reason]).sort()).toEqual([
      "it is not a file, folder or link",
      "its name is not UTF-8",
    ]);
  });

  test("ends at so many entries (WALK-2)", async () => {
    await expect(walkTree(folder, { maxEntries: 3 })).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("more than 3 files"),
    });
    expect((await walkTree(folder, { maxEntries: 4 })).entries.size).toBe(4);
  });
});
