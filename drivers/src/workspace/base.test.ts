// The rows of what a project was: how they are kept, and how they tell that a file is another by now.

import { lstatSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BaseEntry, isStill, readBase, writeBase } from "./base.ts";
import { copyEntry, startCopyJob } from "./copy-entry.ts";
import { Folder } from "./folder.ts";
import {
  setMode,
  type TestProject,
  testProject,
} from "../../../tests/helpers/drivers/workspace-project.ts";
import { inspectPath } from "./path-state.ts";

let here: TestProject;
let project: Folder;
beforeEach(async () => {
  here = testProject({ a: "one", "copy/": "", l: "-> a" });
  project = await Folder.open(here.project);
});
afterEach(async () => {
  await project[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

const path = (name: string) => join(here.project, name);

/** Without a digest: only what one look at it says. */
const seenOnly = async (name: string) => (await inspectPath(project, name)) as BaseEntry;

/** Writes until the clock of the volume has moved on. */
function rewrite(name: string, text: string): void {
  const { ctimeNs, atime, mtime } = lstatSync(path(name), { bigint: true });
  do {
    writeFileSync(path(name), text);
    utimesSync(path(name), atime, mtime);
  } while (lstatSync(path(name), { bigint: true }).ctimeNs === ctimeNs);
}

describe("a file is another (BASE-1)", () => {
  test("when it was written to, though size and time are the same", async () => {
    utimesSync(path("a"), 1000, 1000);
    const entry = await seenOnly("a");
    expect(await isStill(entry, project, "a")).toBe(true);

    rewrite("a", "two");

    expect(await seenOnly("a")).toMatchObject({ mtimeNs: entry.mtimeNs, ino: entry.ino });
    expect(await isStill(entry, project, "a")).toBe(false);
  });

  test("when its mode, its size, its kind or what it leads to is another; or it is gone", async () => {
    const [file, link] = [await seenOnly("a"), await seenOnly("l")];
    expect(await isStill(link, project, "l")).toBe(true);
    expect(await isStill({ ...link, target: "b" }, project, "l")).toBe(false);
    expect(await isStill({ ...file, mode: 0o600 }, project, "a")).toBe(false);
    expect(await isStill({ ...file, size: 4 }, project, "a")).toBe(false);
    expect(await isStill(file, project, "l")).toBe(false);
    renameSync(path("a"), path("b"));
    expect(await isStill(file, project, "a")).toBe(false);
  });

  test("by its digest, where there is one: then its times do not count", async () => {
    await using copy = await project.into("copy");
    const entry = (await copyEntry(project, copy, "a", startCopyJob(undefined)))!;

    rewrite("a", "one");
    expect(await isStill(entry, project, "a")).toBe(true);
    rewrite("a", "two");
    expect(await isStill(entry, project, "a")).toBe(false);
  });
});

test("the digest of a young file is kept, of an old one not (BASE-1)", async () => {
  await using copy = await project.into("copy");
  const copying = startCopyJob(undefined);

  const young = await copyEntry(project, copy, "a", copying);
  await copy.removeFile("a");
  const soon = BigInt(Date.now() + 60_000) * 1_000_000n;
  const old = await copyEntry(project, copy, "a", { ...copying, youngAfterNs: soon });

  expect(young?.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(old?.hash).toBeUndefined();
});

test("rows are read as they were written (BASE-2)", async () => {
  setMode(path("a"), 0o751);
  const entries = new Map<string, BaseEntry>();
  for (const name of ["a", "copy", "l"]) entries.set(name, await seenOnly(name));
  entries.set("odd\n\u2028", {
    ...entries.get("a")!,
    hash: "ab",
    copy: { ino: 2n ** 60n, ctimeNs: 1n },
  });
  const base = { entries, leftOut: [{ path: ".env", why: "so" }] };

  await writeBase(project, base);

  expect(await readBase(project)).toEqual(base);
});

test("a row that is lost is found (BASE-2)", async () => {
  await writeBase(project, { entries: new Map([["a", await seenOnly("a")]]), leftOut: [] });
  const [head] = readFileSync(path("base.ndjson"), "utf8").split("\n");
  writeFileSync(path("base.ndjson"), `${head}\n`);

  await expect(readBase(project)).rejects.toMatchObject({ code: "ECORRUPT" });
});
