// Workflows: what each kind of step does, in which order, and what is refused before anything runs.

import type { Json, ManifestText, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { book, bookings, outcomeOf, workflow, workflowPrograms } from "./workflow-rig.ts";

async function begin(manifest: ManifestText, input: Json = null) {
  const outside = bookings();
  const programs = {
    ...workflowPrograms,
    fails: async (sys: Sys) => sys.exit(7, null, "no luck"),
    waits: async (sys: Sys) => (await sys.receive()).body,
  };
  const booted = await bootForTest({ programs, tools: outside.tools });
  const pid = await booted.kernel.spawn({ manifest, input });
  return { ...booted, outside, pid };
}

async function run(manifest: ManifestText, input: Json = null) {
  const begun = await begin(manifest, input);
  const ending = await begun.kernel.wait(begun.pid);
  return { ...begun, ending, outcome: outcomeOf(ending.output), done: begun.outside.done };
}

describe("steps", () => {
  test("run one after another, and hand on their results (WALK-STEPS-1)", async () => {
    const { outcome, done } = await run(
      workflow([book("hotel"), { id: "car", tool: "book", args: { what: "{{steps.hotel.id}}" } }], {
        result: { car: "{{steps.car.id}}", of: "for {{input.name}}" },
      }),
      { name: "Ada" },
    );

    expect(outcome).toMatchObject({
      status: "completed",
      result: { car: "hotel-1-1", of: "for Ada" },
    });
    expect(done).toEqual(["book hotel", "book hotel-1"]);
  });

  test("run at once where none waits for the other", async () => {
    const { kernel, pid, runs } = await begin(
      workflow([
        { id: "a", tool: "look", args: { hold: true } },
        { id: "b", tool: "look", args: { hold: true }, after: [] },
        { id: "c", tool: "look", args: {}, after: ["a", "b"] },
      ]),
    );

    await until(() => runs.length === 2);
    runs.forEach(({ release }) => release());
    await kernel.wait(pid);

    expect(runs).toHaveLength(3);
  });

  test("of a block are its own; outside there is one result of it (WALK-STEPS-3)", async () => {
    const { outcome } = await run(
      workflow(
        [
          { id: "both", parallel: [book("left"), book("right")] },
          {
            id: "each",
            map: {
              over: "{{input.items}}",
              limit: 2,
              steps: [{ id: "one", program: "echoes", input: "{{item.name}} {{index}}" }],
            },
          },
          {
            id: "way",
            branch: [
              { if: "size(input.items) > 5", steps: [book("many")] },
              { steps: [{ id: "few", program: "echoes", input: "few" }] },
            ],
          },
          {
            id: "rounds",
            loop: {
              max: 5,
              until: "steps.round == 2",
              steps: [{ id: "round", program: "echoes", input: "{{index}}" }],
            },
          },
          { id: "never", if: "input.items == null", tool: "book", args: { what: "nothing" } },
        ],
        {
          result: {
            both: "{{steps.both}}",
            each: "{{steps.each}}",
            way: "{{steps.way}}",
            rounds: "{{steps.rounds}}",
            never: "{{steps.never}}",
          },
        },
      ),
      { items: [{ name: "x" }, { name: "y" }] },
    );

    expect(outcome.faults).toEqual([]);
    expect(outcome.result).toEqual({
      both: { left: { id: "left-1" }, right: { id: "right-1" } },
      each: ["x 0", "y 1"],
      way: "few",
      rounds: 2,
      never: null,
    });
  });
});

describe("a wait", () => {
  const approval = workflow(
    [
      { id: "ready", wait: { signal: "approved" } },
      { id: "sure", ask: { question: "Send to {{steps.ready.to}}?", choices: ["yes", "no"] } },
      { id: "later", sleep: "5ms" },
    ],
    {
      signals: { approved: { schema: { type: "object", required: ["to"] } } },
      result: "{{steps.ready.to}} {{steps.sure}}",
    } as never,
  );

  test("for a message passes over what does not fit, for a person and a time; also after a restart", async () => {
    const begun = await begin(approval);
    const { pid } = begun;
    await until(async () => (await begun.kernel.show(pid)).waitingOn === "message");
    await begun.kernel.send(pid, "no object", { type: "approved" });
    const { kernel } = await begun.again();
    await kernel.send(pid, { to: "Ada" }, { type: "approved" });
    await until(async () => (await kernel.questions()).length > 0);
    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { choice: "yes", by: "tester" });

    const { output } = await kernel.wait(pid);

    expect(question!.question).toBe("Send to Ada?");
    expect(outcomeOf(output)).toMatchObject({ status: "completed", result: "Ada yes" });
  });

  test("with a timeout fails when nothing comes", async () => {
    const { outcome } = await run(
      workflow([{ id: "ready", wait: { signal: "go" }, timeout: "20ms" }], {
        signals: { go: {} },
      } as never),
    );

    expect(outcome).toMatchObject({ failed: { step: "ready", code: "ETIMEDOUT" } });
  });
});

describe("a run that repeats", () => {
  test("goes on as a new run with an empty history, and keeps what takes it back (RUN-WORKFLOW-3)", async () => {
    const { outcome, kernel, pid, done } = await run(
      workflow([book("trip", { args: { what: "{{input.name}}" } })], {
        repeat: { if: "run.generation < 2", input: { name: "{{input.name}}x" } },
      } as never),
      { name: "t" },
    );

    const calls = (await kernel.journal(pid)).filter(({ kind }) => kind === "call");
    expect(done).toEqual(["book t", "book tx", "book txx"]);
    expect(outcome.armed.map(({ args }) => args)).toEqual([
      { what: "t" },
      { what: "tx" },
      { what: "txx" },
    ]);
    expect(new Set(outcome.armed.map(({ key }) => key)).size).toBe(3);
    expect(calls.filter((one) => "call" in one && one.call === "checkpoint")).toHaveLength(2);
  });
});

describe("a child", () => {
  test("that fails is the failure of its step, and takes the rest back", async () => {
    const { outcome, done } = await run(
      workflow([
        book("hotel"),
        { id: "child", program: "fails", retry: { max: 2, backoff: "1ms" } },
      ]),
    );

    expect(outcome).toMatchObject({
      failed: { step: "child", message: "no luck" },
      undone: ["hotel"],
    });
    expect(done).toEqual(["book hotel", "cancel hotel"]);
  });

  test("is asked to end when another step fails (FLOW-3)", async () => {
    const { outcome, kernel, pid } = await run(
      workflow([
        { id: "child", program: "waits", after: [] },
        { id: "short", sleep: "20ms", after: [] },
        { id: "bad", program: "fails", after: ["short"] },
      ]),
    );

    expect(outcome.failed).toMatchObject({ step: "bad" });
    const states = (await kernel.list({ parent: pid })).map(({ state }) => state);
    expect(states.toSorted()).toEqual(["failed", "killed"]);
  });

  test("may be written in its step: it holds what it says there, and its result has the schema it says", async () => {
    const agent = {
      name: "reader",
      program: "echoes",
      capabilities: ["tool:look:call"],
      output: { schema: { type: "object", properties: { of: { type: "string" } } } },
    };
    const { kernel, pid, outcome } = await run(
      workflow([
        { id: "read", agent, input: { of: "{{input}}" } },
        book("hotel", { args: { what: "{{steps.read.of}}" } }),
      ]),
      "hotel",
    );

    const [child] = await kernel.list({ parent: pid });
    expect(outcome).toMatchObject({ status: "completed", result: { id: "hotel-1" } });
    expect(child).toMatchObject({ agent: "inline/reader" });
    const held = (await kernel.manifest(child!.pid)).manifest;
    expect(held).toMatchObject({ capabilities: ["tool:look:call"] });
  });

  test("that is a workflow leaves to its parent what takes it back", async () => {
    const outside = bookings();
    const inner = workflow([book("room"), book("breakfast")], { name: "inner" });
    const agents = (name: string) => (name === "inner" ? { manifest: inner } : undefined);
    const { kernel } = await bootForTest({
      programs: workflowPrograms,
      tools: outside.tools,
      agents,
    });
    outside.failing.set("book car", 9);
    const steps = [{ id: "hotel", workflow: "inner" }, book("car")];
    const pid = await kernel.spawn({ manifest: workflow(steps), input: null });

    const { output } = await kernel.wait(pid);

    expect(outcomeOf(output).undone).toEqual(["hotel/breakfast", "hotel/room"]);
    expect(outside.done.slice(2)).toEqual(["cancel breakfast", "cancel room"]);
  });
});

describe("what is wrong is refused, and nothing runs", () => {
  const bad: readonly (readonly [string, Json[], object, string])[] = [
    ["two acts", [{ id: "a", tool: "book", sleep: "1s" }], {}, "steps.0: a step does one thing"],
    ["an agent without a name", [{ id: "a", agent: { program: "echoes" } }], {}, "steps.0.agent"],
    [
      "an agent that is written wrongly",
      [{ id: "b", agent: { name: "reader", capabilities: 5 } }],
      {},
      "steps.b.agent.capabilities",
    ],
    ["no act", [{ id: "a" }], {}, "this one has none"],
    ["an unknown field", [{ id: "a", tol: "book" }], {}, "tol: no such field"],
    [
      "a field that says nothing",
      [{ id: "a", sleep: "1s", args: {} }],
      {},
      "is for a step with a tool",
    ],
    ["two of one name", [book("a"), book("a")], {}, "another step is called a"],
    [
      "a circle",
      [book("a", { after: ["b"] }), book("b", { after: ["a"] })],
      {},
      "the steps wait for each other: a → b → a",
    ],
    ["an unknown step", [book("a", { after: ["b"] })], {}, "b is no step of the same list"],
    ["a loop without a bound", [{ id: "a", loop: { steps: [book("b")] } }], {}, "loop.max"],
    [
      "a signal that is not declared",
      [{ id: "a", wait: { signal: "x" } }],
      {},
      "x is not declared",
    ],
    [
      "a result before it is there",
      [book("a", { args: { what: "{{steps.b.id}}" } }), book("b")],
      {},
      "no step b has ended before this is read",
    ],
    ["a name that is nothing", [book("a", { if: "inptu.x" })], {}, "inptu is nothing here"],
    ["half an expression", [book("a", { if: "input.x ==" })], {}, "unexpected an end"],
    ["fields of others", [book("a")], { model: "x/y" }, "model: is not for `kind: Workflow`"],
  ];

  test.each(bad)("%s", async (_what, steps, more, words) => {
    const { kernel } = await bootForTest({ programs: workflowPrograms });

    const spawning = kernel.spawn({ manifest: workflow(steps, more as never), input: null });

    await expect(spawning).rejects.toThrow(words);
    expect(await kernel.list()).toEqual([]);
  });

  const wrong: readonly (readonly [string, Json[], object, string])[] = [
    [
      "an unknown tool",
      [book("a"), { id: "b", tool: "bok", args: {} }],
      {},
      "there is no tool bok",
    ],
    [
      "an agent that it may not start",
      [book("a"), { id: "b", agent: "waits" }],
      { capabilities: ["tool:*:call"] },
      "waits cannot be started",
    ],
    [
      "an agent that is written, where only others may be started",
      [book("a"), { id: "b", agent: { name: "reader", program: "echoes" } }],
      { capabilities: ["tool:*:call", "agent:other:spawn"] },
      "reader cannot be started",
    ],
    [
      "a field that an agent's result does not have",
      [
        {
          id: "a",
          agent: {
            name: "reader",
            program: "echoes",
            output: { schema: { type: "object", properties: { of: { type: "string" } } } },
          },
        },
        book("b", { args: { what: "{{steps.a.off}}" } }),
      ],
      {},
      "steps.a has no off: it has of",
    ],
    ["a missing argument", [book("a", { args: {} })], {}, "steps[0].args: what is missing"],
    ["an argument of another type", [book("a", { args: { what: 5 } })], {}, "not of type string"],
    [
      "a result of another type",
      [book("a"), { id: "b", tool: "book", args: { what: "{{steps.a}}" } }],
      {},
      "object is given where string is wanted",
    ],
    [
      "a field that a result does not have",
      [book("a"), { id: "b", tool: "book", args: { what: "{{steps.a.idd}}" } }],
      {},
      "steps.a has no idd: it has id",
    ],
    [
      "an input that does not fit",
      [book("a")],
      { input: { schema: { type: "object" } } },
      "the input is not of type object",
    ],
  ];

  test.each(wrong)(
    "%s, with the tools of the system (RUN-WORKFLOW-1)",
    async (_what, steps, more, words) => {
      const { ending, outcome, done } = await run(workflow(steps, more as never));

      expect(outcome).toMatchObject({ status: "refused" });
      expect(outcome.faults.join("; ")).toContain(words);
      expect(ending.exitCode).toBe(2);
      expect(done).toEqual([]);
    },
  );
});
