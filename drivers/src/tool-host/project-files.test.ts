import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { trustedPaths, packagesOf, projectAt, readModules, readRegular } from "./project-files.ts";
import { projectForTest, trustedForTest } from "../../../tests/helpers/drivers/tool-project.ts";

const SOMEBODY = 54_321;
const namesOf = (folder: string) => trustedPaths(trustedForTest(folder, "t")!);
const isRoot = process.getuid?.() === 0;

describe("PROJECT-FILES-1: the project of a place", () => {
  test("is the nearest folder at or above it with .agents/tools", () => {
    const { folder } = projectForTest({ "a.ts": "" });
    const deep = join(folder, "src", "deep");
    mkdirSync(deep, { recursive: true });

    const found = { folder, tools: join(folder, ".agents", "tools") };
    expect(projectAt(folder)).toEqual(found);
    expect(projectAt(deep)).toEqual(found);
    expect(projectAt(join(folder, ".agents"))).toEqual(found);
  });

  test("is none where there is none, and for a place that is not there", () => {
    const { folder, write } = projectForTest();
    expect(projectAt(folder)).toBeUndefined();
    expect(projectAt(join(folder, "nowhere"))).toBeUndefined();

    write("../tools", "a file");
    expect(projectAt(folder)).toBeUndefined();
  });

  test("is none where .agents/tools leads out of the project", () => {
    const other = projectForTest({ "a.ts": "" });
    const { folder } = projectForTest();
    symlinkSync(join(other.folder, ".agents"), join(folder, ".agents"));

    expect(projectAt(folder)).toBeUndefined();
  });

  test.runIf(isRoot)("is not what somebody else has put above it", () => {
    const { folder } = projectForTest({ "a.ts": "" });
    const mine = join(folder, "mine");
    const theirs = join(folder, "theirs");
    mkdirSync(mine);
    mkdirSync(theirs);
    chownSync(join(folder, ".agents", "tools"), SOMEBODY, SOMEBODY);
    chownSync(theirs, SOMEBODY, SOMEBODY);

    expect(projectAt(mine)).toBeUndefined();
    expect(projectAt(theirs)).toBeDefined();
  });
});

test("packages are the project's own folder, and no link", () => {
  const { folder } = projectForTest({ "a.ts": "" });
  const project = projectAt(folder)!;
  expect(packagesOf(project)).toBeUndefined();

  symlinkSync("/usr", join(folder, "node_modules"));
  expect(packagesOf(project)).toBeUndefined();

  rmSync(join(folder, "node_modules"));
  mkdirSync(join(folder, "node_modules"));
  expect(packagesOf(project)).toBe(join(folder, "node_modules"));
});

describe("looking", () => {
  test("finds modules and programs, and passes over the rest", () => {
    const { folder } = projectForTest({
      "a.ts": "",
      "lib/b.ts": "",
      "lib/c.yaml": "",
      "p.yaml": "",
      "README.md": "",
      "node_modules/x/index.js": "",
      "data.json": "{}",
    });

    expect(namesOf(folder)).toEqual(["a.ts", "data.json", "lib/b.ts", "p.yaml"]);
  });

  test("refuses more files than anybody writes", () => {
    const { folder, write } = projectForTest();
    for (let i = 0; i <= 500; i++) write(`f${i}.ts`, "");

    expect(() => namesOf(folder)).toThrow(/more than 500 files/);
  });
});

describe("reading", () => {
  test("PROJECT-FILES-3: gives every text by its URL, those with tools, and a digest of all", () => {
    const { folder, write } = projectForTest({
      "a.ts": "export {}",
      "a.test.ts": "",
      "types.d.ts": "",
      "lib/b.ts": "b",
      "c.js": "",
    });
    const project = projectAt(folder)!;
    const read = () => readModules(project, trustedForTest(folder, "t")!, namesOf(folder));
    const url = (name: string) => pathToFileURL(join(project.tools, name)).href;

    const first = read();
    write("lib/b.ts", "B");
    const second = read();
    write("lib/b.ts", "b");

    expect(first.main).toEqual([url("a.ts")]);
    expect(first.files[url("lib/b.ts")]).toBe("b");
    expect(second.digest).not.toBe(first.digest);
    expect(read().digest).toBe(first.digest);
  });

  test("PROJECT-FILES-2: follows no link", () => {
    const { folder, write } = projectForTest({ "a.ts": "" });
    const secret = join(folder, "secret.ts");
    writeFileSync(secret, "key");
    const path = write("lib/b.ts", "");
    rmSync(path);
    symlinkSync(secret, path);

    expect(namesOf(folder)).toEqual(["a.ts"]);
    expect(() => readRegular(path)).toThrow(/ELOOP/);
  });

  test("refuses what is no regular file, or too long", () => {
    const { folder, write } = projectForTest({ "a.ts": "" });
    const long = write("long.ts", " ".repeat(1_048_577));

    expect(() => readRegular(join(folder, ".agents"))).toThrow(/not a regular file/);
    expect(() => readRegular(long)).toThrow(/more than 1048576 bytes/);
  });

  test("refuses modules that are too long together", () => {
    const { folder, write } = projectForTest();
    for (let i = 0; i < 9; i++) write(`f${i}.ts`, " ".repeat(1_048_576));
    const project = projectAt(folder)!;

    expect(() => readModules(project, trustedForTest(folder, "t")!, namesOf(folder))).toThrow(
      /have more than/,
    );
  });
});
