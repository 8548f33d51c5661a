// The command line as the package has it: what is in its files, and what they ask for.

import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { commandBundle } from "../../scripts/package/command-bundle.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
let files: Map<string, string>;

beforeAll(async () => {
  files = await commandBundle();
});

const requested = (text: string): string[] =>
  [...text.matchAll(/\b(?:require|import)\("([^"]+)"\)/g)].map(([, name]) => name!);

test("COMMAND-BUNDLE-1: what stood beside a module is looked for from where the module was", () => {
  const places = [...files.values()].flatMap((text) =>
    [...text.matchAll(/new URL\("(\.\.\/src\/[^"]+)\.js"/g)].map(([, place]) => place!),
  );

  expect(places.length).toBeGreaterThan(3);
  for (const place of places)
    expect(existsSync(join(repository, "cli/lib", `${place}.ts`)), place).toBe(true);
});

test("COMMAND-BUNDLE-2: all that its files ask for is in it, in Node, or a package that its rooms name", () => {
  const inRooms = ["cli", "client", "protocol"].flatMap((room) => {
    const text = readFileSync(join(repository, room, "package.json"), "utf8");
    return Object.keys((JSON.parse(text) as { dependencies?: object }).dependencies ?? {});
  });
  const named = new Set(inRooms);
  for (const [path, text] of files)
    for (const name of requested(text)) {
      const isThere = name.startsWith("./")
        ? files.has(posix.join(posix.dirname(path), name))
        : isBuiltin(name) || named.has(name);
      expect(isThere, `${path} asks for ${name}`).toBe(true);
    }
});

test("the first file loads nothing at once: --version needs only the version", () => {
  const first = files.get("cli/lib/main.cjs")!;
  const atOnce = first
    .split("\n")
    .filter((line) => !/^\s|=>/.test(line))
    .flatMap(requested);

  expect(atOnce).toEqual([]);
  expect(requested(first)).toContain("./version.cjs");
});

test("PACKAGE-2: the same source gives the same bytes", async () => {
  expect(await commandBundle()).toEqual(files);
});
