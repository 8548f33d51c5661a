// Goals and roles as people use them: the command line on a real daemon, with scripted models.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GoalEvent, GoalInfo, GoalReport, RoleDetail, RoleReport } from "@aos/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestProject, type TestProject } from "./project.ts";

let project: TestProject;

const plan = {
  subtasks: [
    {
      id: "notes",
      role: "generalist",
      params: { task_description: "make notes", output: "/work/notes.md" },
      depends_on: [],
    },
    {
      id: "report",
      role: "writer",
      params: { inputs: ["/work/notes.md"], output: "/work/report.md", task: "a report" },
      depends_on: ["notes"],
    },
  ],
  final_output: "/work/report.md",
};

const worker = (reported: string) => `turns:
  - when: { last: user, contains: "make notes" }
    call: [{ tool: file.write, args: { path: /work/notes.md, text: "three notes" } }]
  - when: { last: user, contains: "a report" }
    call: [{ tool: file.read, args: { path: /work/notes.md } }]
  - when: { tool: file.read }
    ${reported}
  - when: { tool: file.write }
    say: written
`;

const WRITES = 'call: [{ tool: file.write, args: { path: /work/report.md, text: "of {{last}}" } }]';

const GOAL = "make notes and then write a report";

function put(path: string, text: string): string {
  const file = join(project.folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const json = async <T>(...words: string[]): Promise<T> =>
  (await project.aos(...words, "-o", "json")).json() as T;

beforeAll(() => {
  project = createTestProject();
  writeFileSync(
    join(project.home.folder, "config.yaml"),
    "goals: { model: [scripted/worker], planner: scripted/planner }\n",
  );
  put("scripts/planner.yaml", `turns:\n  - say: '${JSON.stringify(plan)}'\n`);
  put("scripts/worker.yaml", worker(WRITES));
});
afterAll(() => project.remove());

describe("aos submit with a goal", () => {
  test("plans it, gives it to roles, and prints the result", async () => {
    const { code, stdout } = await project.aos("submit", GOAL, "--wait");
    const [goal] = await json<GoalInfo[]>("goal", "ls");
    const shown = await json<GoalReport>("goal", "show", "@last");

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("three notes") });
    expect(goal).toMatchObject({ goal: GOAL, state: "completed", lane: "background" });
    expect(shown.subtasks.map(({ id, state }) => `${id} ${state}`)).toEqual([
      "notes done",
      "report done",
    ]);
    expect(shown).toMatchObject({ files: ["/work/notes.md", "/work/report.md"], notes: [] });
  });

  test("shows where each step ran", async () => {
    const { stdout } = await project.aos("goal", "watch", "@last", "-o", "json");
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as GoalEvent);

    expect(events).toContainEqual(
      expect.objectContaining({
        step: "notes",
        agent: "generalist",
        what: "file.write /work/notes.md",
      }),
    );
    expect(events.at(-1)).toMatchObject({ step: null, what: "ended: completed" });
    expect(new Set(events.map(({ where }) => where))).toEqual(new Set(["daemon"]));
  });

  test("with --plan prints the plan with its cost, and runs nothing of it", async () => {
    const planned = await project.aos("submit", GOAL, "--plan");
    put("plan.yaml", planned.stdout);
    const ran = await project.aos("submit", GOAL, "--plan-file", "plan.yaml", "--wait");

    expect(planned.stdout).toContain("final_output: /work/report.md");
    expect(planned.stderr).toContain("planning cost $");
    expect((await json<GoalReport>("goal", "show", "@last")).plan).toMatchObject(plan);
    expect(ran.code).toBe(0);
  });

  test("refuses a plan with all of its faults", async () => {
    const bad = { ...plan, final_output: "/etc/passwd", extra: 1 };
    put("bad.json", JSON.stringify({ ...bad, subtasks: [{ id: "a", role: "root" }] }));

    const { code, stderr } = await project.aos("submit", GOAL, "--plan-file", "bad.json", "--wait");

    expect(code).toBe(2);
    expect(stderr).toContain("unknown extra");
  });

  test("goes on after a failure without what is done, in the same workspace", async () => {
    put("scripts/worker.yaml", worker("say: I will not"));
    put("plan.yaml", JSON.stringify(plan));
    const failed = await project.aos("submit", GOAL, "--plan-file", "plan.yaml", "--wait");
    const first = await json<GoalReport>("goal", "show", "@last");

    put("scripts/worker.yaml", worker(WRITES));
    const { pid } = await json<{ pid: string }>("goal", "retry", first.pid);
    const waited = await project.aos("wait", pid);
    const second = await json<GoalReport>("goal", "show", pid);

    expect(failed.code).toBe(1);
    expect(first.subtasks.map(({ state }) => state)).toEqual(["done", "failed"]);
    expect(first.subtasks[1]!.error).toContain("it did not write /work/report.md");
    expect(waited.code).toBe(0);
    expect(second.subtasks[0]).toMatchObject({ pid: first.subtasks[0]!.pid, tries: 0 });
    expect(second.result).toContain("three notes");
  });

  test("one word is the name of an agent: a typing error starts nothing", async () => {
    const { code, stderr } = await project.aos("submit", "reserchr");

    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("unknown agent") });
  });
});

describe("aos role", () => {
  // As aaOS ships it, in our words.
  const theirs = `name: digester
model: deepseek-chat
model_ladder: [deepseek-chat, deepseek-reasoner]
escalate_on: [replan_retry, tool_repeat_guard, max_tokens]
parameters:
  url: { type: string, required: true, description: The page. }
  inputs: { type: string_list, required: true, description: Files. }
  workspace: { type: path, required: true, description: Where it goes. }
capabilities:
  - "tool: web_fetch"
  - "tool: file_write"
  - "file_read: {inputs.*}"
  - "file_read: /data/*"
  - "file_write: {workspace}"
system_prompt: You digest.
message_template: Digest {url} and {inputs} into {workspace}.
budget: { max_input_tokens: 60000, max_output_tokens: 200 }
retry: { max_attempts: 2, on: ["web_fetch_5xx", "timeout"] }
priority: 10
orchestration: { max_iterations: 30 }
`;

  test("reads a role file of aaOS as it is", async () => {
    writeFileSync(join(project.home.folder, "config.yaml"), "{}\n");
    mkdirSync(join(project.home.folder, "roles"), { recursive: true });
    writeFileSync(join(project.home.folder, "roles", "digester.yaml"), theirs);

    const { role } = await json<RoleDetail>("role", "show", "digester");

    expect(role).toMatchObject({
      model: ["deepseek/deepseek-chat", "deepseek/deepseek-reasoner"],
      escalate_on: ["replan", "loop", "cutoff"],
      parameters: { url: { type: "url", required: true } },
      tools: ["http.fetch", "file.write"],
      capabilities: [
        "tool:http.fetch:call",
        "http:{url}/**:get,head",
        "tool:file.write:call",
        "file:{inputs.*}:read,list",
        "file:/work/data/**:read,list",
        "file:{workspace}:write",
      ],
      budget: { tokens: 60_200 },
      retry: { max: 2, on: ["upstream", "timeout"] },
      lane: "low",
      maxSteps: 30,
    });
  });

  test("ls has the roles that ship; a role of a folder that is not trusted is none", async () => {
    put(".agents/roles/local.yaml", "name: local\nmessage: hello\n");
    const before = await json<RoleReport[]>("role", "ls");
    await project.aos("trust", "--yes");
    const after = await json<RoleReport[]>("role", "ls");

    const shipped = before.filter(({ source }) => source === "system");
    expect(shipped.map(({ name }) => name)).toEqual([
      "analyzer",
      "builder",
      "coder",
      "critic",
      "fetcher",
      "generalist",
      "researcher",
      "reviewer",
      "writer",
    ]);
    expect(shipped.every(({ problem }) => problem === null)).toBe(true);
    expect(before.map(({ name }) => name)).not.toContain("local");
    expect(after).toContainEqual(expect.objectContaining({ name: "local", source: "project" }));
  });

  test("validate says what is wrong, with its line", async () => {
    const file = put(
      "bad-role.yaml",
      'name: bad\nmessage: hi {who}\ncapabilities:\n  - "file:/a{x}:read"\ncolour: red\n',
    );
    const unknown = await project.aos("role", "validate", file);
    put("bad-role.yaml", "name: bad\nmessage: hi {who}\n");
    const missing = await project.aos("role", "validate", file);

    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("bad-role.yaml:5: colour");
    expect(missing.stderr).toContain("{who} is no parameter of the role");
  });

  test("new writes one that is valid, and overwrites none", async () => {
    const made = await project.aos("role", "new", "summarizer");
    const again = await project.aos("role", "new", "summarizer");
    const file = join(project.folder, ".agents/roles/summarizer.yaml");
    const valid = await project.aos("role", "validate", file);

    expect(readFileSync(file, "utf8")).toContain("name: summarizer");
    expect([made.code, again.code, valid.code]).toEqual([0, 1, 0]);
  });
});
