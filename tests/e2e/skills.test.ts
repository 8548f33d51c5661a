// Skills and tools that are system calls, as people see them: the command line on a real daemon.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SkillDetail, SkillReport, ToolDetail, ToolReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;

function putSkill(folder: string, front: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), `---\n${front}\n---\n# Steps\n`);
}

const ofProject = (name: string): string => join(project.folder, ".agents", "skills", name);

beforeAll(async () => {
  project = createTestProject();
  putSkill(
    ofProject("release"),
    "name: release\ndescription: Makes a release.\nallowed-tools: echo",
  );
  putSkill(ofProject("broken"), "name: Broken\ndescription: It is not.");
  putSkill(join(project.home.folder, "skills", "mine"), "name: mine\ndescription: Of the user.");
  const script = `turns:
  - call: [{ tool: skill.read, args: { name: release } }]
  - call: [{ tool: file.read, args: { path: /work/x } }]
  - say: "{{last}}"
`;
  const agent = `apiVersion: aos/v1
kind: Agent
name: releaser
model: scripted/steps
tools: [echo, file.read]
skills: [release]
capabilities: ["model:scripted/*:infer", "tool:echo:call", "tool:file.read:call", "file:/work/**:read"]
`;
  writeFileSync(join(project.folder, "releaser.yaml"), agent);
  mkdirSync(join(project.folder, "scripts"), { recursive: true });
  writeFileSync(join(project.folder, "scripts", "steps.yaml"), script);
});
afterAll(() => project.remove());

test("skills of a folder that is not trusted are not offered, and it is said why", async () => {
  const { stdout } = await project.aos("skill", "ls");
  const ran = await project.aos("run", "releaser.yaml", "go");
  const trusted = await project.aos("trust", "--yes");

  expect(stdout).toMatch(/is not trusted: aos trust/);
  expect(ran.stdout).not.toContain("the skill release");
  expect(trusted.code).toBe(0);
});

test("skill ls shows those of the project, the user and the system, and what is wrong", async () => {
  const listed = (await project.aos("skill", "ls", "-o", "json")).json() as SkillReport[];
  const { stdout } = await project.aos("skill", "ls");

  expect(listed.map(({ name, source }) => `${source} ${name}`)).toEqual([
    "project broken",
    "project release",
    "user mine",
    "system review-change",
    "system write-skill",
  ]);
  expect(stdout).toMatch(/release +project +echo +Makes a release\./);
  expect(stdout).toContain("not offered: SKILL.md:2: name: only a-z");
});

test("skill show gives one in full", async () => {
  const shown = (await project.aos("skill", "show", "release", "-o", "json")).json() as SkillDetail;
  const text = await project.aos("skill", "show", "review-change");
  const none = await project.aos("skill", "show", "releas");

  expect(shown).toMatchObject({
    name: "release",
    allowedTools: ["echo"],
    body: "# Steps\n",
    files: [{ path: "SKILL.md" }],
    problems: [],
  });
  expect(text.stdout).toContain("references/checks.md");
  expect(text.stdout).toContain("# Review a change");
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("did you mean release?");
});

test("skill check says what is wrong, and its exit code says whether", async () => {
  const good = await project.aos("skill", "check", ".agents/skills/release");
  const bad = await project.aos("skill", "check", ".agents/skills/broken");
  const none = await project.aos("skill", "check", ".agents/skills/none");

  expect(good).toMatchObject({ code: 0, stdout: "release: no problems\n" });
  expect(bad.code).toBe(2);
  expect(bad.stdout).toContain("SKILL.md:2: name: ");
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("cannot read the folder");
});

test("an agent of the project reads its skill and is held by it", async () => {
  const ran = await project.aos("run", "releaser.yaml", "go");

  expect(ran.stdout).toContain("EPOLICY: the skill release does not allow file.read");
});

test("tools that are system calls are listed as such, and cannot be called by hand", async () => {
  const listed = (await project.aos("tool", "ls", "-o", "json")).json() as ToolReport[];
  const shown = (
    await project.aos("tool", "show", "memory.write", "-o", "json")
  ).json() as ToolDetail;
  const called = await project.aos("tool", "call", "agent.spawn", "{}");

  expect(listed.filter(({ source }) => source === "system call").map(({ name }) => name)).toContain(
    "agent.spawn",
  );
  expect(shown).toMatchObject({ source: "system call", needs: ["memory:PATH:write"] });
  expect(called.code).toBe(2);
  expect(called.stderr).toContain("this is the system call spawn");
});
