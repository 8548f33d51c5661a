// Every test that stops or kills a daemon runs on both databases, or says why not (tests/helpers/restart-tests.ts).

import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { restartTests, restartTestsOfSqlite } from "../helpers/restart-tests.ts";

/** Ends a daemon: by a signal, or by the command. */
const ENDS_A_DAEMON = /"SIGKILL"|killDaemon\(|\(\s*"down"|kill-switch/;

const found = globSync("tests/{e2e,crash}/**/*.test.ts").filter((file) =>
  ENDS_A_DAEMON.test(readFileSync(file, "utf8")),
);

test("every test that ends a daemon is in one of the two lists", () => {
  expect(found.length).toBeGreaterThan(10);
  const known = new Set([...restartTests, ...Object.keys(restartTestsOfSqlite)]);
  expect(found.filter((file) => !known.has(file))).toEqual([]);
});

test("no list names a file that is not there, or one twice", () => {
  const all = [...restartTests, ...Object.keys(restartTestsOfSqlite)];
  expect(all.filter((file) => !existsSync(file))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});
