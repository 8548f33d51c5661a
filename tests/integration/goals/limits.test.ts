// What bounds a goal: who is asked how often, how much runs at once, how often a subtask is tried, what it is told.

import type { AgentRoleText, GoalInput, GoalOutcome, Json, ManifestText, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { goalManifest, goalPrograms, goalRoles, planOf, plannerModel } from "./goal-rig.ts";

interface Wanted {
  readonly input: string | Partial<GoalInput>;
  readonly manifest?: Partial<ManifestText>;
  readonly answers?: Json[];
  readonly roles?: AgentRoleText[];
}

const holds = async (sys: Sys) => (await sys.receive(), "held");

async function begin({ input, manifest = {}, answers = [], roles = [] }: Wanted) {
  const planner = plannerModel(answers);
  const programs = { ...goalPrograms, holds };
  const { kernel, runs } = await bootForTest({ programs, models: [planner.driver] });
  const all = [...goalRoles, ...roles];
  const given = goalManifest({ roles: all, ...manifest });
  const pid = await kernel.spawn({ manifest: given, input: input as Json });
  return { kernel, runs, pid, asked: planner.asked };
}

async function run(wanted: Wanted) {
  const begun = await begin(wanted);
  const ending = await begun.kernel.wait(begun.pid);
  const children = await begun.kernel.list({ parent: begun.pid });
  const outcome = ending.output as unknown as GoalOutcome;
  const marks = begun.runs.map(({ args }) => (args as { step: string }).step);
  return { ...begun, ending, outcome, children, marks };
}

const failing = (id: string): Json => planOf([{ id, role: "fails" }]);

describe("another plan is made", () => {
  test("three times at most, however each fails (PLAN-3)", async () => {
    const answers = ["a", "b", "c", "d", "e", "f"].map(failing);

    const { asked, outcome } = await run({ input: "do this and then that", answers });

    expect(asked).toHaveLength(4);
    expect(outcome).toMatchObject({ status: "failed", failed: [{ id: "d" }] });
  });

  test("as often as planner.replans says", async () => {
    const answers = ["a", "b", "c"].map(failing);
    const manifest = { planner: { replans: 1 } } as Partial<ManifestText>;

    const { asked } = await run({ input: "do this and then that", answers, manifest });

    expect(asked).toHaveLength(2);
  });

  test("never in the place of one that was given, and never where nobody may plan (PLAN-3)", async () => {
    const input = { goal: "do this and then that", plan: failing("a") };
    const given = await run({ input, answers: [planOf([{ id: "b" }])] });
    const generalist: AgentRoleText = {
      name: "generalist",
      program: "fails",
      parameters: { task_description: { type: "string", required: true } },
    };
    const never = { planner: { use: "never" } } as Partial<ManifestText>;
    const alone = await run({
      input: "do this and then that",
      roles: [generalist],
      manifest: never,
      answers: [planOf([{ id: "b" }])],
    });

    expect([given.asked, alone.asked]).toEqual([[], []]);
    expect([given.outcome.status, alone.outcome.status]).toEqual(["failed", "failed"]);
    expect([given.marks, alone.marks]).toEqual([[], []]);
  });
});

describe("a plan is refused", () => {
  test("where the goal may start nothing (PLANNER-2)", async () => {
    const { ending, outcome, children } = await run({
      input: { goal: "one", plan: planOf([{ id: "a" }]) },
      manifest: { capabilities: ["tool:pay:call"] },
    });

    expect(ending.exitCode).toBe(2);
    expect(outcome.faults).toEqual([expect.stringContaining("the goal may not start subtasks")]);
    expect(children).toEqual([]);
  });

  test.each(["from", "skip"] as const)("where %s names no subtask of it", async (word) => {
    const input = { goal: "one", plan: planOf([{ id: "a" }]), [word]: ["ghost"] };

    const { ending, outcome, marks } = await run({ input });

    expect(ending.exitCode).toBe(2);
    expect(outcome.faults).toEqual(["the plan has no subtask ghost"]);
    expect(marks).toEqual([]);
  });

  test("where there is no goal", async () => {
    const { ending, marks } = await run({ input: { goal: " " } });

    expect(ending).toMatchObject({ state: "failed", error: { code: "EINVAL" } });
    expect(marks).toEqual([]);
  });

  test("and nothing of one that is only wanted is run", async () => {
    const input = { goal: "one", plan: planOf([{ id: "a" }]), isPlanOnly: true };

    const { outcome, marks, children } = await run({ input });

    expect(outcome).toMatchObject({ status: "planned", plan: { subtasks: [{ id: "a" }] } });
    expect([marks, children]).toEqual([[], []]);
  });
});

test("what is done again takes along all that depends on it, and nothing else", async () => {
  const plan = planOf([
    { id: "a" },
    { id: "b", depends_on: ["a"] },
    { id: "c", depends_on: ["b"] },
    { id: "other" },
  ]);
  const { outcome } = await run({ input: { goal: "four", plan } });
  const { done } = outcome;

  const again = await run({ input: { goal: "four", plan, done, from: ["b"] } });

  expect(again.marks).toEqual(["b", "c"]);
});

test("what was done with other parameters is not done (EXECUTOR-4)", async () => {
  const roles: AgentRoleText[] = [
    {
      name: "named",
      program: "mark",
      capabilities: ["tool:pay:call"],
      parameters: { what: { type: "string", required: true } },
    },
  ];
  const planWith = (what: string) =>
    planOf([{ id: "a", role: "named", params: { what } }, { id: "b" }]);
  const { outcome } = await run({ input: { goal: "one", plan: planWith("x") }, roles });

  const again = await run({
    input: { goal: "one", plan: planWith("y"), done: outcome.done },
    roles,
  });

  expect(again.marks).toEqual(["a"]);
});

test("as many subtasks run at once as planner.parallel says", async () => {
  const plan = planOf(
    ["a", "b", "c", "d", "e"].map((id) => ({ id, role: "holds" })),
    "a",
  );
  const { kernel, pid } = await begin({
    input: { goal: "five", plan },
    roles: [{ name: "holds", program: "holds" }],
    manifest: { planner: { parallel: 2 } } as Partial<ManifestText>,
  });
  const waiting = async () =>
    (await kernel.list({ parent: pid })).filter(({ waitingOn }) => waitingOn === "message");

  for (let left = 5; left > 0; left--) {
    await until(async () => (await waiting()).length === Math.min(2, left), `${left} left`);
    const begun = await kernel.list({ parent: pid });
    expect(begun.length).toBe(Math.min(5, 5 - left + 2));
    await kernel.send((await waiting())[0]!.pid, "go on");
  }

  expect((await kernel.wait(pid)).state).toBe("completed");
});

describe("a subtask that fails", () => {
  const breaks = (retry: AgentRoleText["retry"]): AgentRoleText => ({
    name: "breaks",
    program: "fails",
    ...(retry === undefined ? {} : { retry }),
  });

  test.each<[string, AgentRoleText["retry"], number]>([
    ["once where its role says nothing", undefined, 1],
    ["as often as its role says", { max: 3, on: ["any"] }, 3],
    ["once where its role is for other failures", { max: 3, on: ["timeout"] }, 1],
  ])("is tried %s", async (_what, retry, tries) => {
    const plan = planOf([{ id: "a", role: "breaks" }]);

    const { children } = await run({ input: { goal: "one", plan }, roles: [breaks(retry)] });

    expect(children).toHaveLength(tries);
  });
});

test("a skipped subtask has no result that others are told of", async () => {
  const plan = planOf([{ id: "a" }, { id: "all", role: "sees", depends_on: ["a"] }]);

  const { outcome } = await run({ input: { goal: "two", plan, skip: ["a"] } });

  expect(outcome.result).toEqual({});
});

test("a role gets no standing grant of an agent of its name", async () => {
  const roles: AgentRoleText[] = [{ name: "payer-of-old", program: "mark" }];
  const begun = await bootForTest({ programs: goalPrograms });
  for (const agent of ["payer-of-old", "mark"])
    await begun.kernel.grant({ agent }, { capabilities: ["tool:pay:call"], by: "operator" });
  const plan = planOf([{ id: "a", role: "payer-of-old" }]);
  const pid = await begun.kernel.spawn({
    manifest: goalManifest({ roles }),
    input: { goal: "pay", plan },
  });

  const { output } = await begun.kernel.wait(pid);

  expect(output).toMatchObject({ status: "failed", failed: [{ id: "a" }] });
  expect(begun.runs).toEqual([]);
});
