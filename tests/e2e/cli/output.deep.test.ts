// The same data in every format, and nothing but data on standard output.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestProject, type TestProject } from "../project.ts";

let project: TestProject;
let living: string;
beforeAll(async () => {
  project = createTestProject();
  await project.spawned("asks.yaml");
  living = await project.spawned("listener");
  await project.until(living, "waiting");
  await project.aos("token", "create", "--role", "viewer", "--name", "grafana");
});
afterAll(() => project.remove());

const lists = [
  ["ps -a", "pid"],
  ["approvals", "id"],
  ["agent ls", "name"],
  ["tool ls", "name"],
  ["model ls --all", "model"],
  ["token ls", "id"],
  ["tenant ls", "name"],
  ["skill ls", "name"],
] as const;

describe.each(lists)("aos %s", (line, key) => {
  const words = line.split(" ");

  test("has the same in json and yaml, and its names with -o name", async () => {
    const [json, yaml, name] = await Promise.all(
      ["json", "yaml", "name"].map((format) => project.aos(...words, "-o", format)),
    );
    const rows = json!.json() as Record<string, string>[];

    expect(rows.length).toBeGreaterThan(0);
    expect(yaml!.stdout.match(/^- /gm)).toHaveLength(rows.length);
    for (const row of rows) expect(yaml!.stdout).toContain(row[key]);
    expect(name!.stdout).toBe(rows.map((row) => `${row[key]}\n`).join(""));
  });
});

const tables = lists.filter(([line]) => line !== "approvals");

test.each(tables)("aos %s has more columns with -o wide", async (line) => {
  const words = line.split(" ");
  const [narrow, wide] = await Promise.all([
    project.aos(...words),
    project.aos(...words, "-o", "wide"),
  ]);
  const columns = (text: string) => text.split("\n")[0]!.trim().split(/ {2,}/);

  expect(columns(wide.stdout).length).toBeGreaterThan(columns(narrow.stdout).length);
  expect(columns(wide.stdout)).toEqual(expect.arrayContaining(columns(narrow.stdout)));
});

test("aos approvals is sentences of at most 80 columns, and a table with -o wide", async () => {
  const [narrow, wide] = await Promise.all([
    project.aos("approvals"),
    project.aos("approvals", "-o", "wide"),
  ]);

  expect(narrow.stdout).toMatch(/^ask_\S+  \d+\w ago/);
  for (const line of narrow.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  expect(wide.stdout).toMatch(/^ID +PID +ASKS +KIND/);
});

test.each([
  "show @last",
  "status",
  "doctor",
  "policy show",
  "caps show @last",
  "audit ledger",
  "version",
  "config show",
  "logs @last",
])("aos %s has names", async (line) => {
  const ran = await project.aos(...line.split(" "), "-o", "name");

  expect(ran.stdout).toMatch(/^(\S.*\n)+$/);
  expect(ran.stdout).not.toMatch(/[{[]/);
});

test("logs -f -o json is a stream of records, one a line", async () => {
  const pid = await project.spawned("listener");
  await project.until(pid, "waiting");
  const following = project.aos("logs", "-f", pid, "-o", "json");
  await project.aos("send", pid, "go on");

  const lines = (await following).stdout.trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as { seq: number; kind: string });

  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => at));
  expect(records.at(-1)?.kind).toBe("end");
});

test.each([
  ["show agt_nothing"],
  ["rnu"],
  ["ps --limti 3"],
  ["cost --by agnet"],
  ["stop agt_nothing"],
  ["run no-such-agent"],
  ["nice @last hihg"],
  ["policy show --layer none"],
  ["token create --role king"],
])("aos %s says what, why and what to type next, also for programs", async (line) => {
  const words = line.split(" ");
  const text = await project.aos(...words);
  const json = await project.aos(...words, "-o", "json");

  expect(text.stderr).toMatch(/^aos: .+\nhint: .+\n$/);
  expect(text.stdout).toBe("");
  expect(json.error()).toEqual({
    code: expect.stringMatching(/^E[A-Z]+$/),
    message: expect.stringMatching(/./),
    hint: expect.stringMatching(/./),
  });
  expect(json.code).toBe(text.code);
});

/** With `PID` where the process stands. */
const ofProcesses = [
  "show PID",
  "logs PID",
  "wait PID -t 1ms",
  "cost PID",
  "caps show PID",
  "caps suggest PID",
  "caps check PID now",
  "caps why PID",
  "ctx show PID",
  "why PID",
  "fork PID --estimate",
  "nice PID low",
  "pause PID",
  "resume PID",
  "signal PID USR2",
];

test.each(ofProcesses)("aos %s takes a unique beginning, and @last", async (line) => {
  const beginning = living.slice(0, -2);
  const asked = [beginning, "@last"].map((pid) =>
    project.aos(...line.replace("PID", pid).split(" "), "-o", "json"),
  );

  for (const ran of await Promise.all(asked))
    expect(ran.stderr).not.toMatch(/no process|no agent|begins with/);
});
