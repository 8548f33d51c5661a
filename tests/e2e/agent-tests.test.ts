// `aos test` and `aos test record`, as people use them.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestHome, ROOT, type TestHome } from "./home.ts";

let home: TestHome;
let project: string;
beforeAll(() => {
  home = createTestHome();
  project = join(home.folder, "..", "project");
  mkdirSync(project);
  cpSync(join(ROOT, "examples/hello"), project, { recursive: true });
});
afterAll(() => home.remove());

const aos = (...words: string[]) => home.aosWith({ cwd: project }, ...words);

test("the tests of the example pass", async () => {
  const refused = await home.aos("test", "examples/approval");
  await home.aos("trust", "examples/approval", "--yes");
  const { code, stdout, stderr } = await home.aos("test", "examples/approval");

  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/not trusted\nhint: .*aos trust/);

  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("4 of 4") });
  expect(stdout).toContain("ok  examples/approval/.agents/tests/clerk.test.yaml: a letter from a");
});

test.each(["research", "review", "inbox", "trading", "gardener"])(
  "the tests of the example %s pass, its attack among them",
  async (name) => {
    const folder = `examples/${name}`;
    await home.aos("trust", folder, "--yes");

    const ran = await home.aos("test", `${folder}/.agents/tests`, "-o", "json");

    expect(ran.json()).toMatchObject({ ok: true });
  },
);

test("no tests is an error that says so", async () => {
  const none = await aos("test");
  const absent = await aos("test", "gone");

  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("there are no tests") });
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no") });
});

test("a run becomes a test that passes, and fails when a rule denies what it did", async () => {
  await aos("run", ".", "Good morning");
  const recorded = await aos("test", "record", "@last", "--name", "hello", "--agent", "agent.yaml");
  const again = await aos("test", "record", "@last", "--name", "hello", "--agent", "agent.yaml");
  await aos("trust", "--yes");
  const passed = await aos("test", "-o", "json");

  expect(recorded).toMatchObject({ code: 0, stdout: ".agents/tests/hello.test.yaml\n" });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("already exists") });
  expect(passed.json()).toMatchObject({ ok: true, tests: [{ ok: true, calls: 1, problems: [] }] });

  const policy = join(project, ".agents/policy.yaml");
  writeFileSync(
    policy,
    'version: 1\nrules:\n  - { id: rest, allow: "*" }\n  - { id: hush, deny: "tool:echo" }\n',
  );
  await aos("trust", "--yes");
  const junit = join(project, "report.xml");
  const failed = await aos("test", "--junit", junit);
  const only = await aos("test", "--only", "elephants");

  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("0 of 1 tests passed") });
  expect(failed.stdout).toMatch(/^no {2}\.agents\/tests\/hello\.test\.yaml: hello does/);
  expect(failed.stdout).toContain("hush");
  expect(readFileSync(junit, "utf8")).toContain(
    '<testsuites name="aos test" tests="1" failures="1"',
  );
  expect(only).toMatchObject({ code: 2, stderr: expect.stringContaining("elephants") });
  rmSync(policy);
});

test("a test that is written wrongly is told with its line, and nothing is run", async () => {
  const file = join(project, "bad.test.yaml");
  writeFileSync(file, "tests:\n  - name: x\n    agent: .\n    expcet: {}\n");
  const { code, stderr } = await aos("test", "bad.test.yaml");

  expect(code).toBe(2);
  expect(stderr).toContain("bad.test.yaml:4: tests[0].expcet: unknown field; did you mean expect?");
});
