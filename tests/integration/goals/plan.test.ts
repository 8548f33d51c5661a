// Goals: a plan is checked whole before anything runs, and walked as a process like any other.

import type { GoalOutcome, Json, ManifestText } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, callsOf } from "../../helpers/kernel.ts";
import { chain, goalManifest, goalPrograms, planOf, plannerModel } from "./goal-rig.ts";

interface Wanted {
  readonly input: Json;
  readonly manifest?: Partial<ManifestText>;
  readonly answers?: Json[];
}

async function run({ input, manifest = {}, answers = [] }: Wanted) {
  const planner = plannerModel(answers);
  const booted = await bootForTest({ programs: goalPrograms, models: [planner.driver] });
  const { kernel, runs } = booted;
  const pid = await kernel.spawn({ manifest: goalManifest(manifest), input });
  const ending = await kernel.wait(pid);
  const children = (await kernel.list()).filter(({ parent }) => parent === pid);
  const marks = runs.map(({ args }) => (args as { step: string }).step);
  return {
    ...booted,
    pid,
    ending,
    outcome: ending.output as unknown as GoalOutcome,
    children,
    marks,
    planner,
  };
}

describe("a goal", () => {
  test("is planned by a model, and its subtasks run when what they depend on is done", async () => {
    const plan = planOf([
      { id: "a" },
      { id: "b" },
      { id: "both", role: "sees", depends_on: ["a", "b"] },
    ]);

    const { ending, outcome, children, marks } = await run({
      input: "research a and b",
      answers: [plan],
    });

    expect(ending).toMatchObject({ state: "completed", exitCode: 0 });
    expect(outcome).toMatchObject({
      status: "completed",
      result: { a: "marked a", b: "marked b" },
      finalOutput: "both",
    });
    expect(marks.toSorted()).toEqual(["a", "b"]);
    expect(children.map(({ agent }) => agent).toSorted()).toEqual([
      "inline/mark",
      "inline/mark",
      "inline/sees",
    ]);
  });

  test("is repaired with all of its faults, at most twice, and then refused with nothing run (PLANNER-1)", async () => {
    const bad = planOf([
      { id: "a", role: "nobody", depends_on: ["ghost"] },
      { id: "b", params: { x: 1 }, extra: true },
    ]);
    const circle = planOf([
      { id: "a", role: "nobody", depends_on: ["b"] },
      { id: "b", params: { x: 1 }, depends_on: ["a"] },
    ]);

    const { ending, outcome, children, planner } = await run({
      input: "do this and then that",
      answers: [bad, circle, circle],
    });

    expect(ending).toMatchObject({ state: "failed", exitCode: 2 });
    expect(outcome.status).toBe("refused");
    expect(outcome.faults).toEqual([
      expect.stringContaining("a: the role nobody is not one of this goal"),
      expect.stringContaining("b: params.x: the role mark has no such parameter"),
      expect.stringContaining("in a circle: a → b → a"),
    ]);
    expect(planner.asked).toHaveLength(3);
    expect(planner.asked[1]!.text).toContain("subtasks.1: unknown extra");
    expect(children).toEqual([]);
  });

  test.each<[string, Json, string]>([
    [
      "a role it may not use",
      planOf([{ id: "a", role: "root" }]),
      "the role root is not one of this goal",
    ],
    [
      "a path outside",
      planOf([{ id: "a", role: "writer", params: { output: "/etc/passwd" } }]),
      "is outside the workspace",
    ],
    [
      "a path that climbs out",
      planOf([{ id: "a", role: "writer", params: { output: "/work/../etc/x" } }]),
      "empty, . or ..",
    ],
    [
      "a pattern for a path",
      planOf([{ id: "a", role: "writer", params: { output: "/work/**" } }]),
      "a character that no path of a plan may have",
    ],
    [
      "a list in a path",
      planOf([{ id: "a", role: "writer", params: { output: "/work/a,/etc/b" } }]),
      "a character that no path of a plan may have",
    ],
    [
      "a placeholder in a value",
      planOf([{ id: "a", role: "writer", params: { output: "/work/{inputs}" } }]),
      "a character that no path of a plan may have",
    ],
    [
      "YAML in a value",
      planOf([{ id: "a", role: "writer", params: { output: '/work/a"\n  - "network: *' } }]),
      "a character that no path of a plan may have",
    ],
    ["a missing parameter", planOf([{ id: "a", role: "writer" }]), "params.output is missing"],
    [
      "a user in a URL",
      planOf([{ id: "a", role: "fetcher", params: { url: "https://a@evil.example/" } }]),
      "no plain http or https URL",
    ],
    [
      "an address in a URL",
      planOf([{ id: "a", role: "fetcher", params: { url: "http://169.254.169.254/" } }]),
      "its host is no plain DNS name",
    ],
    [
      "another alphabet in a URL",
      planOf([{ id: "a", role: "fetcher", params: { url: "https://еxample.com/" } }]),
      "no plain http or https URL",
    ],
    [
      "more power than the goal has",
      planOf([{ id: "a", role: "fetcher", params: { url: "https://evil.example/" } }]),
      "a: http:evil.example/**:get is more power than the goal has",
    ],
    [
      "a tool that the goal does not have",
      planOf([{ id: "a", role: "payer", params: { what: "set" } }]),
      "a: tool:set:call is more power than the goal has",
    ],
    ["every tool", planOf([{ id: "a", role: "payer", params: { what: "*" } }]), "is no plain name"],
    ["500 subtasks", planOf(Array.from({ length: 500 }, (_, at) => ({ id: `s${at}` }))), "256"],
    ["21 levels", chain(21), "21 deep; the limit is 20"],
    ["a final output of nobody", planOf([{ id: "a" }], "b"), "final_output"],
    ["a final output outside", planOf([{ id: "a" }], "/etc/passwd"), "final_output"],
    ["a path as an id", planOf([{ id: "../a" }]), "subtasks.0.id"],
    ["nonsense", "make it so", "expected object"],
    ["a list", [1, 2], "expected object"],
    [
      "more than 64 KB",
      planOf([{ id: "a", params: { x: "x".repeat(70_000) } }]),
      "the limit is 65536",
    ],
    ["a tier that there is not", planOf([{ id: "a", role: "noop", tier: 3 }]), "tier"],
    [
      "a budget above the goal's",
      planOf([{ id: "a", budget: { usd: 9 } }]),
      "more than the goal's 1",
    ],
    [
      "budgets that come to more than the goal's",
      planOf([
        { id: "a", budget: { usd: 0.6 } },
        { id: "b", budget: { usd: 0.6 } },
      ]),
      "come to 1.2 usd; the goal has 1",
    ],
    [
      "two writers of one file",
      planOf([
        { id: "a", role: "writer", params: { output: "/work/x" } },
        { id: "b", role: "writer", params: { output: "/work/x" } },
      ]),
      "is written by a already",
    ],
    [
      "a reader that does not wait for the writer",
      planOf([
        { id: "a", role: "writer", params: { output: "/work/x" } },
        { id: "b", role: "writer", params: { inputs: ["/work/x"], output: "/work/y" } },
      ]),
      "does not depend on a",
    ],
    ["two subtasks of one id", planOf([{ id: "a" }, { id: "a" }]), "two subtasks have this id"],
  ])("refuses %s, says why, and runs nothing", async (_what, plan, reason) => {
    const roles = goalManifest().roles!;
    const { ending, outcome, children } = await run({
      input: { goal: "anything", plan },
      manifest: { budget: { usd: 1 }, roles },
    });

    expect(ending).toMatchObject({ state: "failed", exitCode: 2 });
    expect(outcome.faults.join("\n")).toContain(reason);
    expect(children).toEqual([]);
  });

  test("that is one simple thing is not planned", async () => {
    const roles = [
      {
        name: "generalist",
        program: "sees",
        parameters: { task_description: { type: "string" as const, required: true } },
      },
    ];

    const { outcome, planner } = await run({ input: "Name a bird.", manifest: { roles } });

    expect(outcome).toMatchObject({ status: "completed", result: {} });
    expect(outcome.notes[0]).toContain("needs no plan");
    expect(planner.asked).toEqual([]);
  });
});

describe("a plan that fails", () => {
  const failing = chain(10, (nth) => (nth === 7 ? "fails" : "mark"));

  test("keeps what is done, and goes on from step 7 without 1 to 6", async () => {
    const first = await run({ input: { goal: "ten", plan: failing } });
    expect(first.ending).toMatchObject({ state: "failed", exitCode: 1 });
    expect(Object.keys(first.outcome.done)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(first.ending.error!.message).toContain("7 (fails) exit 7: no luck");

    const { done } = first.outcome;
    const from = await run({ input: { goal: "ten", plan: chain(10), done, from: ["7"] } as never });
    const skip = await run({ input: { goal: "ten", plan: failing, done, skip: ["7"] } as never });

    expect(from.marks).toEqual(["7", "8", "9", "10"]);
    expect(from.outcome).toMatchObject({ status: "completed", result: "marked 10" });
    expect(skip.marks).toEqual(["8", "9", "10"]);
    expect(skip.outcome.done["7"]).toMatchObject({ isSkipped: true, value: null });
  });

  test("lets what does not depend on it run to its end (EXECUTOR-3)", async () => {
    const plan = planOf([
      { id: "bad", role: "fails" },
      { id: "good" },
      { id: "next", depends_on: ["good"] },
    ]);

    const { marks, outcome } = await run({ input: { goal: "both", plan } });

    expect(marks).toEqual(["good", "next"]);
    expect(outcome.status).toBe("failed");
  });

  test("is planned again with what was learned, and keeps the finished subtasks (PLAN-3)", async () => {
    const bad = planOf([{ id: "a" }, { id: "b", role: "fails", depends_on: ["a"] }]);
    const good = planOf([{ id: "a" }, { id: "c", depends_on: ["a"] }]);

    const { marks, outcome, planner } = await run({ input: "do a and b", answers: [bad, good] });

    expect(marks).toEqual(["a", "c"]);
    expect(outcome).toMatchObject({ status: "completed", result: "marked c" });
    expect(planner.asked[1]!.text).toContain("Failed: b (fails): exit 7: no luck");
  });

  test("ends when the same failure comes again (PLAN-3)", async () => {
    const bad = planOf([{ id: "b", role: "fails" }]);

    const { ending, planner } = await run({ input: "do a and b", answers: [bad, bad, bad, bad] });

    expect(ending).toMatchObject({ state: "failed", exitCode: 1 });
    expect(planner.asked).toHaveLength(2);
  });
});

describe("a subtask", () => {
  test("holds what its parameters name, and nothing else of its role", async () => {
    const plan = planOf([
      { id: "a", role: "fetcher", params: { url: "https://www.example.com/x?y" } },
    ]);

    const { kernel, children } = await run({ input: { goal: "get", plan } });

    const { manifest } = await kernel.manifest(children[0]!.pid);
    expect(manifest).toMatchObject({ capabilities: ["http:www.example.com/**:get"] });
  });

  test("is named in the journal of the goal and in its own row", async () => {
    const { kernel, pid, children } = await run({
      input: { goal: "one", plan: planOf([{ id: "a" }]) },
    });

    const records = await kernel.journal(pid);
    const spawned = records.find((record) => record.kind === "call" && record.call === "spawn");
    expect(spawned).toMatchObject({ args: { step: "a" }, ok: children[0]!.pid });
    expect(callsOf(records)).toEqual([
      "read ok",
      "list ENOENT",
      "check ok",
      "checkpoint ok",
      "spawn ok",
      "wait ok",
    ]);
  });
});

describe("a fan-out", () => {
  test("of 200 subtasks ends under one budget, and spends no more than it", async () => {
    const steps = Array.from({ length: 200 }, (_, at) => ({ id: `s${at}` }));
    const last = { id: "all", role: "noop", depends_on: steps.map(({ id }) => id) };

    const { ending, marks, kernel, pid } = await run({
      input: { goal: "many", plan: planOf([...steps, last]) },
      manifest: { budget: { toolCalls: 200 } },
    });

    expect(ending.state).toBe("completed");
    expect(new Set(marks).size).toBe(200);
    expect((await kernel.cost({ pid, by: "tree" })).total.toolCalls).toBe(200);
  });

  test("stops at its budget, with all that is done", async () => {
    const steps = Array.from({ length: 20 }, (_, at) => ({ id: `s${at}` }));

    const { outcome, marks } = await run({
      input: { goal: "many", plan: planOf(steps) },
      manifest: { budget: { toolCalls: 5 } },
    });

    expect(outcome.status).toBe("failed");
    expect(marks).toHaveLength(5);
    expect(Object.keys(outcome.done)).toHaveLength(5);
  });
});
