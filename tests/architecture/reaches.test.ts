import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { partsFiles, partsTrespasses, reaches, reachesOf } from "./reaches.ts";
import { isTypeScript, readLines, repository, sourceFiles } from "./source-files.ts";

const files = sourceFiles();

test("a test imports a room by its public name, unless it is listed; and no listed number is too high", () => {
  const found = files
    .map((file) => ({ file: file.path, imports: reachesOf(file).length }))
    .filter(({ imports }) => imports > 0);

  const listed = reaches.map(({ file, imports }) => ({ file, imports }));
  const byFile = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1);
  expect(found.toSorted(byFile)).toEqual(listed.toSorted(byFile));
});

test("package.json has the name of each file of parts", () => {
  for (const [name, file] of Object.entries(partsFiles)) {
    const [, room, subpath] = name.split("/");
    const { exports } = JSON.parse(
      readFileSync(join(repository, room!, "package.json"), "utf8"),
    ) as { exports: Record<string, string> };
    expect({ name, file: `${room}/${exports[`./${subpath}`]?.slice(2)}` }).toEqual({ name, file });
  }
});

test("no room of the product imports parts", () => {
  expect(partsTrespasses(files)).toEqual([]);
});

test("every name in a file of parts is used by somebody who imports it", () => {
  const unused = Object.entries(partsFiles).flatMap(([name, path]) => {
    const exported = files.find((file) => file.path === path)!.lines.join("\n");
    const names = Array.from(exported.matchAll(/\{([^}]*)\}/g), ([, list]) => list!.split(","))
      .flat()
      .map((one) => one.replace("type ", "").trim())
      .filter((one) => one !== "");
    const users = files
      .filter((file) => isTypeScript(file) && file.path !== path)
      .map(({ lines }) => lines.join("\n"))
      .filter((text) => text.includes(`"${name}"`));
    return names
      .filter((one) => !users.some((text) => new RegExp(`\\b${one}\\b`).test(text)))
      .map((one) => `${path}: ${one}`);
  });

  expect(unused).toEqual([]);
});

test("a reach and a room that imports parts are found", () => {
  const source = ["kernel", "src", "spy.ts"].join("/");
  const reach = readLines("tests/e2e/spy.ts", `import { x } from "../../${source}";`);
  const helper = readLines(
    "tests/helpers/kernel/spy.ts",
    `import { x } from "../../../${source}";`,
  );
  const trespass = readLines("daemon/src/spy.ts", 'import { x } from "@aos/kernel/parts";');

  expect(reachesOf(reach)).toEqual([source]);
  expect(reachesOf(helper)).toEqual([]);
  expect(partsTrespasses([trespass])).toEqual([
    "daemon/src/spy.ts:1: @aos/kernel/parts is for tests",
  ]);
});
