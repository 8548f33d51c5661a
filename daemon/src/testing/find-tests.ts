// Find tests: the tests of given files, and those found below given folders.
//
// FIND-TESTS-1  Every file is read before anything runs; if any has errors, all errors are reported and nothing runs.
// FIND-TESTS-2  A named file must exist; a folder is searched for NAME.test.yaml. Policy tests (`cases`) are skipped.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SysError, type Json } from "@aos/protocol";
import { isTestFile, readTestFile, type TestDefinition } from "./test-file.ts";

const NAME = /\.test\.ya?ml$/;
const MAX_DEPTH = 20;

export function findTests(paths: readonly string[], only?: string): TestDefinition[] {
  const files = [...new Set(paths.flatMap(filesAt))];
  if (files.length === 0)
    throw new SysError("EINVAL", `there are no tests in ${paths.join(", ")}`, {
      hint: "a test is a file NAME.test.yaml, usually in .agents/tests; docs/testing.md has one to copy",
    });
  const tests = readAll(files);
  const wanted = only?.trim().toLowerCase() ?? "";
  const chosen = tests.filter(({ test, file }) =>
    `${file} ${test.name}`.toLowerCase().includes(wanted),
  );
  if (chosen.length > 0) return chosen;
  throw new SysError("EINVAL", `no test name contains ${JSON.stringify(only)}`, {
    hint: `the tests are ${tests.map(({ test }) => test.name).join(", ")}`,
  });
}

/** FIND-TESTS-2. */
function filesAt(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined)
    throw new SysError("EINVAL", `there is no ${path}`, {
      hint: "give files with tests, or folders that have some",
    });
  return found.isDirectory() ? filesBelow(path, 0) : [path];
}

function filesBelow(folder: string, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isFile()) return NAME.test(entry.name) && isTestFile(path) ? [path] : [];
      return entry.isDirectory() && isSearched(entry.name) ? filesBelow(path, depth + 1) : [];
    });
}

const isSearched = (name: string): boolean =>
  name !== "node_modules" && (!name.startsWith(".") || name === ".agents");

/** FIND-TESTS-1. */
function readAll(files: readonly string[]): TestDefinition[] {
  const tests: TestDefinition[] = [];
  const refused: SysError[] = [];
  for (const file of files) {
    try {
      tests.push(...readTestFile(file));
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      refused.push(error);
    }
  }
  if (refused.length === 0) return tests;
  throw new SysError("EINVAL", refused.map(({ message }) => message).join("\n"), {
    detail: refused.flatMap(({ detail }) => (detail as Json[] | undefined) ?? []),
  });
}
