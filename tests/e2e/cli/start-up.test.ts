// What a command loads before it does anything. Time is not measured here: a machine that is busy would
// decide it. What is loaded decides it on every machine.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestHome, finish, ROOT, type TestHome } from "../home.ts";

let home: TestHome;
let folder: string;

const HOOK = `
import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  },
});
`;

beforeAll(async () => {
  home = createTestHome({ AOS_HTTP: "off" });
  folder = mkdtempSync(join(tmpdir(), "aos-e2e-loaded-"));
  writeFileSync(join(folder, "hook.mjs"), HOOK);
  await home.aos("up", "-d");
});
afterAll(async () => {
  await home.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});

/** Files of the repository by their path, packages by their name, modules of Node as they are called. */
async function loadedBy(...words: string[]): Promise<string[]> {
  const list = join(folder, "loaded.txt");
  writeFileSync(list, "");
  const ran = await finish(
    spawn(
      process.execPath,
      ["--import", join(folder, "hook.mjs"), join(ROOT, "cli/bin/aos.mjs"), ...words],
      { cwd: folder, env: { ...home.env, LOADED: list } },
    ),
  );
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const root = pathToFileURL(ROOT).href.replace(/\/?$/, "/");
  const urls = readFileSync(list, "utf8").trim().split("\n");
  return [...new Set(urls.map((url) => nameOf(url, root)))];
}

const nameOf = (url: string, root: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url.slice(root.length))?.[1] ??
  (url.startsWith(root) ? url.slice(root.length) : url);

test("aos --version loads the version, and nothing else", async () => {
  expect(await loadedBy("--version")).toEqual([
    "cli/bin/aos.mjs",
    "cli/src/main.ts",
    "cli/src/version.ts",
    "cli/package.json",
  ]);
});

test("aos ps loads no package but that of colours, and its own code only", async () => {
  const loaded = await loadedBy("ps");
  const packages = loaded.filter((name) => !name.includes(":") && !/\.(ts|mjs|json)$/.test(name));
  const ownCode = loaded.filter((name) => name.startsWith("cli/src/commands/"));

  expect(packages).toEqual(["picocolors"]);
  expect(ownCode).toEqual(["cli/src/commands/ps.ts"]);
  expect(loaded.filter((name) => /^(daemon|kernel|drivers|userland|sdk)\//.test(name))).toEqual([]);
});

test.each([
  ["node:http", "asks the whole module for its names, and so loads the half of a browser"],
  ["node:https", "is for a daemon elsewhere"],
  ["node:process", "is there without being loaded"],
  ["node:child_process", "is for starting a daemon"],
  ["node:fs", "asks for its streams, promises and watchers, too"],
  ["node:util", "asks for threads and a parser of arguments, too"],
  ["node:net", "is taken by its name"],
])("aos ps does not import %s, which %s", async (name) => {
  expect(await loadedBy("ps")).not.toContain(name);
});

test("PROCESS-ROWS-1: aos ps loads the rows of its own kind, and of the protocol what it uses", async () => {
  const loaded = await loadedBy("ps");
  const rows = loaded.filter((name) => /^cli\/src\/[\w-]+-rows\.ts$/.test(name));

  expect(rows.toSorted()).toEqual(["cli/src/cost-rows.ts", "cli/src/process-rows.ts"]);
  expect(loaded).not.toContain("cli/src/commands.ts");
  expect(loaded).not.toContain("protocol/src/words.ts");
});

test("completion loads no code of commands, and no parser of anything", async () => {
  const loaded = await loadedBy("__complete", "show", "");

  expect(loaded.filter((name) => name.startsWith("cli/src/commands/"))).toEqual([]);
  expect(loaded).not.toContain("yaml");
});
