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

test("what worked in a run is drafted, reviewed, and offered to agents only once it is approved", async () => {
  const manifest = (name: string, tools: string, script: string) => `apiVersion: aos/v1
kind: Agent
name: ${name}
model: scripted/${script}
tools: [${tools}]
skills: [greet-*]
capabilities: ["model:scripted/*:infer", "tool:echo:call"]
`;
  writeFileSync(join(project.folder, "greeter.yaml"), manifest("greeter", "echo", "greet"));
  writeFileSync(join(project.folder, "reader.yaml"), manifest("reader", "echo", "read"));
  writeFileSync(
    join(project.folder, "scripts", "greet.yaml"),
    'turns:\n  - call: [{ tool: echo, args: { text: hello } }]\n  - say: "{{last}}"\n',
  );
  writeFileSync(
    join(project.folder, "scripts", "read.yaml"),
    'turns:\n  - call: [{ tool: skill.read, args: { name: greet-visitors } }]\n  - say: "{{last}}"\n',
  );
  const ran = await project.aos("run", "greeter.yaml", "Greet the visitors");
  const read = () => project.aos("run", "reader.yaml", "Greet them");

  const draft = (await project.aos("skill", "draft", "@last", "-o", "json")).json() as {
    name: string;
    digest: string;
    run: string;
  };
  const twice = await project.aos("skill", "draft", draft.run);
  const listed = await project.aos("skill", "drafts");
  const shown = await project.aos("skill", "drafts", "greet-visitors");
  const before = await read();
  const other = await project.aos("skill", "approve", "greet-visitors", "--digest", "0".repeat(64));
  const approved = await project.aos("skill", "approve", "greet-visitors");
  const after = await read();
  const again = await project.aos("skill", "approve", "greet-visitors");

  expect(ran.code).toBe(0);
  expect(draft.name).toBe("greet-visitors");
  expect(twice.stderr).toContain("there is a draft greet-visitors already");
  expect(listed.stdout).toMatch(/greet-visitors +agt_\S+ +trusted\/public +rules/);
  expect(shown.stdout).toContain('1. `echo {"text":"hello"}`');
  expect(before.stdout).not.toContain("Steps that worked");
  expect(other.stderr).toContain("is not what was read");
  expect(approved.stdout).toContain("greet-visitors is a skill now");
  expect(after.stdout).toContain("Steps that worked");
  expect(again.stderr).toContain("there is no draft greet-visitors");
  const ledger = await project.aos("audit", "ledger", "-o", "json");
  expect(ledger.stdout).toContain("skill.approve");
});

test("the draft of a RED run says so, and is approved by the digest of what was read", async () => {
  const script = "turns:\n  - say: done\n";
  writeFileSync(join(project.folder, "scripts", "done.yaml"), script);
  const red = `apiVersion: aos/v1
kind: Agent
name: red
model: scripted/done
capabilities: ["model:scripted/*:infer"]
`;
  writeFileSync(join(project.folder, "red.yaml"), red);
  const pid = await project.spawned("red.yaml", "--label", "untrusted/public", "--input", "Sum up");
  await project.until(pid, "completed");

  const drafted = await project.aos(
    "skill",
    "draft",
    pid,
    "--model",
    "scripted/done",
    "-o",
    "json",
  );
  const draft = drafted.json() as { digest: string; isUntrusted: boolean; text: string };
  const blind = await project.aos("skill", "approve", "sum-up", "--yes");
  const approved = await project.aos("skill", "approve", "sum-up", "--digest", draft.digest);
  const second = await project.aos("skill", "draft", pid, "--name", "sum-up-2");
  const rejected = await project.aos("skill", "reject", "sum-up-2");

  expect(draft).toMatchObject({ isUntrusted: true, madeBy: "rules", label: "untrusted/public" });
  expect(drafted.stderr).toContain("gave no usable answer");
  expect(draft.text).toContain("> RED: made from a run that had read untrusted data.");
  expect(blind).toMatchObject({ code: 2 });
  expect(blind.stderr).toContain("read it first");
  expect(approved.code).toBe(0);
  expect(second.stdout).toContain("RED");
  expect(rejected.stdout).toContain("sum-up-2 is removed");
});
