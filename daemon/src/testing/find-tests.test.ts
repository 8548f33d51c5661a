import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentTestReport, Program } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestEnvironment } from "./test-environment.ts";
import { findTests } from "./find-tests.ts";
import { runTests } from "./run-tests.ts";

let folder: string;
const one = (name: string, more = "", expected = "{ exitCode: 0 }") =>
  `tests: [{ name: ${name}, agent: echo, ${more} expect: ${expected} }]`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-find-tests-"));
  const files = {
    "a/one.test.yaml": one("first"),
    "a/.agents/tests/two.test.yml": one("second"),
    "a/.agents/policy.test.yaml": "cases: []",
    "a/.hidden/three.test.yaml": one("third"),
    "a/node_modules/x/four.test.yaml": one("fourth"),
    "a/notes.yaml": "nothing",
    "bad/x.test.yaml": one("x", "oops: 1,"),
    "bad/y.test.yaml": one("y", "alas: 1,"),
    "empty/notes.md": "",
    "mixed/m.test.yaml":
      "tests:\n" +
      "  - { name: fails, agent: echo, expect: { exitCode: 7 } }\n" +
      "  - { name: hangs, agent: hang, timeout: 60ms, expect: { exitCode: 0 } }\n" +
      "  - { name: gone, agent: ./gone.yaml, expect: { exitCode: 0 } }\n" +
      "  - { name: passes, agent: echo, input: hi, expect: { output: { equals: hi } } }\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const namesIn = (path: string, only?: string) =>
  findTests([join(folder, path)], only).map(({ test: { name } }) => name);

test("a folder is looked through; tests of policies, and what is hidden or installed, are not ours", () => {
  expect(namesIn("a")).toEqual(["second", "first"]);
  expect(namesIn("a/one.test.yaml")).toEqual(["first"]);
  expect(namesIn("a/.hidden/three.test.yaml")).toEqual(["third"]);
});

test("words choose by name and by file", () => {
  expect(namesIn("a", "SECOND")).toEqual(["second"]);
  expect(namesIn("a", "one.test")).toEqual(["first"]);
  expect(() => namesIn("a", "elephant")).toThrow("no test name contains");
});

test("no tests, and what is not there, is said", () => {
  expect(() => namesIn("empty")).toThrow("there are no tests in");
  expect(() => namesIn("none")).toThrow("there is no");
});

test("what is wrong with any file is said of all of them, and nothing is run", () => {
  expect(() => namesIn("bad")).toThrow(/x\.test\.yaml:1: .*oops[^]*y\.test\.yaml:1: .*alas/);
});

async function allOf(reports: AsyncIterable<AgentTestReport>): Promise<AgentTestReport[]> {
  const all: AgentTestReport[] = [];
  for await (const report of reports) all.push(report);
  return all;
}

const programs: Record<string, Program> = {
  echo: async (_sys, input) => input,
  hang: async (sys) => (await sys.receive()).body,
};

test("one that fails, hangs or cannot be run keeps no other from its end", async () => {
  await using environment = new TestEnvironment({ programs });
  const tests = findTests([join(folder, "mixed")]);

  const reports = await allOf(runTests(tests, environment));

  const said = Object.fromEntries(reports.map(({ name, problems }) => [name, problems.join()]));
  expect(said).toEqual({
    fails: "exitCode is 0, and not 7",
    hangs: expect.stringContaining("it did not end within 60 ms"),
    gone: expect.stringContaining("there is no"),
    passes: "",
  });
});

test("when nobody listens any more no other is begun, and those that run are ended", async () => {
  await using environment = new TestEnvironment({ programs });
  const stop = new AbortController();
  const [hangs] = findTests([join(folder, "mixed")], "hangs");
  const long = { ...hangs!, test: { ...hangs!.test, timeout: 600_000 } };
  const many = Array.from({ length: 50 }, () => long);

  const running = allOf(runTests(many, environment, stop.signal));
  stop.abort();
  const reports = await running;

  expect(reports.length).toBeLessThan(50);
  for (const { problems } of reports) expect(problems[0]).toContain("the tests were stopped");
});
