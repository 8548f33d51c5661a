// The agent `team`, as people use it: it staffs a team from roles and from its own words, within its own limits.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessInfo } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;

const CHILDREN = [
  {
    name: "writer",
    model: "scripted/writer",
    tools: ["file.write"],
    capabilities: [
      "model:scripted/writer:infer",
      "tool:file.write:call",
      "file:/work/report.md:write",
    ],
  },
  { name: "judge", model: "scripted/judge", capabilities: ["model:scripted/judge:infer"] },
];

const script = (name: string, turns: readonly object[]) => {
  const folder = join(project.folder, "scripts");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.yaml`), JSON.stringify({ turns }));
};

const creates = (manifest: object, input: string) => ({
  tool: "agent.create",
  args: { manifest, input },
});

beforeAll(() => {
  project = createTestProject();
  writeFileSync(
    join(project.home.folder, "config.yaml"),
    "goals: { model: [scripted/lead, scripted/writer, scripted/judge] }\n",
  );
  script("writer", [
    {
      when: { last: "user" },
      call: [{ tool: "file.write", args: { path: "/work/report.md", text: "ferries" } }],
    },
    { when: { tool: "file.write" }, say: "/work/report.md" },
  ]);
  script("judge", [{ say: "it is good" }]);
});
afterAll(() => project.remove());

const run = (...words: string[]) => project.aos("run", "team", "a report on ferries", ...words);

test("it starts agents made of manifests one after another, and answers with what came of it", async () => {
  script("lead", [
    { when: { last: "user" }, call: [creates(CHILDREN[0]!, "write it")] },
    { when: { tool: "agent.create" }, call: [{ tool: "agent.wait", args: { pid: "{{last}}" } }] },
    {
      when: { tool: "agent.wait", contains: "report.md" },
      call: [creates(CHILDREN[1]!, "judge it")],
    },
    { when: { tool: "agent.wait" }, say: "done: {{last}}" },
  ]);

  const { code, stdout, stderr } = await run();
  const all = (await project.aos("ps", "-a", "-o", "json")).json() as ProcessInfo[];

  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("it is good");
  expect(all.map(({ agent }) => agent).toSorted()).toEqual([
    "inline/judge",
    "inline/writer",
    "team",
  ]);
  const team = all.find(({ agent }) => agent === "team")!;
  expect(all.filter(({ parent }) => parent === team.pid)).toHaveLength(2);
});

test("it is told the roles of its caller, and gives no child what it has not (TEAM-MANIFEST-1)", async () => {
  const asked = { tool: "http.fetch", args: { url: "http://ferries.example/", method: "options" } };
  script("judge", [{ when: { last: "user" }, call: [asked] }, { say: "{{last}}" }]);
  const capabilities = ["model:scripted/judge:infer", "tool:http.fetch:call", "http:*/**:options"];
  const taker = { ...CHILDREN[1], tools: ["http.fetch"], capabilities };
  script("lead", [
    { when: { last: "user" }, call: [creates(taker, "take it")] },
    {
      when: { tool: "agent.create" },
      call: [{ tool: "agent.wait", args: { pid: "{{last}}" } }],
    },
    { say: "{{last}}" },
  ]);

  const { stdout } = await run();
  const printed = await project.aos("manifest", "@last");

  expect(stdout).toContain("EACCES");
  for (const role of ["writer", "coder", "critic"])
    expect(printed.stdout).toContain(`{\\"name\\":\\"${role}\\"`);
  expect(printed.stdout).toContain("agent:inline/*:spawn{max:20}");
});

test("its children start no others (TEAM-MANIFEST-2)", async () => {
  const boss = {
    name: "boss",
    model: "scripted/boss",
    tools: ["agent.create"],
    capabilities: ["model:scripted/*:infer", "agent:inline/*:spawn"],
  };
  script("boss", [
    { when: { last: "user" }, call: [creates(CHILDREN[1]!, "judge")] },
    { say: "{{last}}" },
  ]);
  script("lead", [
    { when: { last: "user" }, call: [creates({ ...boss, model: "scripted/lead" }, "go")] },
    {
      when: { tool: "agent.create", contains: "agt_" },
      call: [{ tool: "agent.wait", args: { pid: "{{last}}" } }],
    },
    { say: "{{last}}" },
  ]);

  await run();
  const all = (await project.aos("ps", "-a", "-o", "json")).json() as ProcessInfo[];

  const bosses = new Set(all.filter(({ agent }) => agent === "inline/boss").map(({ pid }) => pid));
  expect(bosses.size).toBeGreaterThan(0);
  expect(all.filter(({ parent }) => parent !== null && bosses.has(parent))).toEqual([]);
});

test("without a model it says what to do", async () => {
  writeFileSync(join(project.home.folder, "config.yaml"), "{}\n");
  await project.aos("down");

  const { code, stderr } = await run();

  expect(code).toBe(2);
  expect(stderr).toContain("team has no model");
  expect(stderr).toContain("goals.model");
});
