// Workflows that the code of a library says: the same steps, the same way back, and a version of their own.

import type { Json, Program } from "@aos/protocol";
import { defineWorkflow, observeProgram, type WorkflowFlow } from "@aos/daemon";
import { expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { bookings, outcomeOf, workflowPrograms } from "./workflow-rig.ts";

const capabilities = ["tool:*:call", "agent:*:spawn", "message:*:receive"];

async function begin(
  run: (flow: WorkflowFlow, input: Json) => Promise<Json>,
  { input = null, fails = {} }: { input?: Json; fails?: Record<string, number> } = {},
) {
  const outside = bookings();
  for (const [act, times] of Object.entries(fails)) outside.failing.set(act, times);
  const trip = defineWorkflow({ name: "trip", tools: ["book"], run });
  const booted = await bootForTest({
    programs: { ...workflowPrograms, trip },
    tools: outside.tools,
  });
  const pid = await booted.kernel.spawn({ agent: "trip", capabilities, input });
  return { ...booted, booted, trip, pid, outside, done: outside.done };
}

const book = (flow: WorkflowFlow, what: string) => flow.tool(what, "book", { what });

test("steps in code wait, run at once and over lists, and show where they are (DEFINE-WORKFLOW-2)", async () => {
  const begun = await begin(
    async (flow, input) => {
      const hotel = await book(flow, "hotel");
      flow.show("hotel", hotel);
      const both = await flow.parallel("both", {
        left: (one) => book(one, "a"),
        right: async () => 2,
      });
      const seats = await flow.map("seats", ["x", "y"], (one, seat) =>
        one.agent("seat", "echoes", `seat ${seat}`),
      );
      const { by } = (await flow.wait("paid", "paid")) as { by: string };
      const sure = await flow.ask("sure", `For ${by}?`, { choices: ["yes", "no"] });
      await flow.sleep("rest", 1);
      return { input, both, seats, by, sure };
    },
    { input: "hi" },
  );
  const { pid, trip } = begun;
  await until(async () => (await begun.kernel.show(pid)).waitingOn === "message");
  await begun.kernel.enter("step", "test", null);
  const { kernel } = await begun.crash();
  await until(async () => (await kernel.show(pid)).waitingOn === "message");

  const seen = await observeProgram(kernel, pid, trip);
  await kernel.send(pid, { by: "Ada" }, { type: "paid" });
  await until(async () => (await kernel.questions()).length > 0);
  await kernel.answer((await kernel.questions())[0]!.id, { choice: "yes", by: "tester" });
  const { output } = await kernel.wait(pid);

  expect(Object.fromEntries(seen.values)).toEqual({ hotel: { id: "hotel-1" } });
  expect([...seen.steps.values()].map(({ step, state }) => `${step} ${state}`)).toEqual([
    "hotel done",
    "both done",
    "both/left/a done",
    "seats done",
    "seats[0]/seat done",
    "seats[1]/seat done",
    "paid waiting",
  ]);
  expect(outcomeOf(output).result).toEqual({
    input: "hi",
    both: { left: { id: "a-1" }, right: 2 },
    seats: ["seat x", "seat y"],
    by: "Ada",
    sure: "yes",
  });
  expect(begun.done).toEqual(["book hotel", "book a"]);
});

test("what code did is taken back when a later step fails, with what it did not wait for (FLOW-3)", async () => {
  const { booted, pid, done } = await begin(
    async (flow) => {
      await book(flow, "hotel");
      void flow
        .tool("slow", "pay", { hold: true }, { undo: { tool: "cancel", args: { what: "slow" } } })
        .catch(() => {});
      await book(flow, "bad");
      return null;
    },
    { fails: { "book bad": 9 } },
  );
  await until(() => booted.runs.length === 1);
  booted.runs[0]!.release();

  const { output } = await booted.kernel.wait(pid);

  expect(outcomeOf(output)).toMatchObject({
    failed: { step: "bad" },
    undone: ["slow", "hotel"],
  });
  expect(done).toEqual(["book hotel", "cancel slow", "cancel hotel"]);
});

test("it begins again with an empty history", async () => {
  const { kernel, pid, done } = await begin(
    async (flow, input) => {
      await flow.tool("trip", "book", { what: `${input as number}` });
      return (input as number) < 3 ? flow.again((input as number) + 1) : "over";
    },
    { input: 1 },
  );

  const { output } = await kernel.wait(pid);

  expect(done).toEqual(["book 1", "book 2", "book 3"]);
  expect(outcomeOf(output)).toMatchObject({ result: "over", armed: [{}, {}, {}] });
});

test("two steps of one name, a name that is none and a tool that is not there are refused", async () => {
  const twice = await begin(async (flow) => {
    await book(flow, "a");
    return book(flow, "a");
  });
  const unnamed = await begin(async (flow) => flow.tool("a b", "book", { what: "a" }));
  const unknown = await bootForTest({
    programs: { trip: defineWorkflow({ name: "trip", tools: ["bok"], run: async () => 1 }) },
  });
  const pid = await unknown.kernel.spawn({ agent: "trip", capabilities });

  expect(outcomeOf((await twice.kernel.wait(twice.pid)).output).failed).toMatchObject({
    message: "two steps of this run are called a",
  });
  expect(outcomeOf((await unnamed.kernel.wait(unnamed.pid)).output).failed).toMatchObject({
    message: "a b is no name of a step: letters, digits, _ and -",
  });
  expect(outcomeOf((await unknown.kernel.wait(pid)).output).faults).toEqual([
    "there is no tool bok",
  ]);
});

test("a run ends on the version that it began with, and is parked where that is missing", async () => {
  const outside = bookings();
  const version = (name: string): Program =>
    defineWorkflow({
      name: "trip",
      run: async (flow) => {
        await flow.wait("go", "go");
        return book(flow, name);
      },
    });
  const [first, second] = [version("old"), version("new")];
  const trip = (run: Program, number: string, earlier = {}) =>
    ({ trip: { version: number, run, earlier } }) as never;
  const waiting = async (pid: string) => (await booted.kernel.show(pid)).waitingOn === "message";
  let booted = await bootForTest({ programs: trip(first, "1"), tools: outside.tools });
  const old = await booted.kernel.spawn({ agent: "trip", capabilities });
  await until(() => waiting(old));

  booted = await booted.again({ programs: trip(second, "2") });
  await booted.kernel.send(old, null, { type: "go" });
  await until(async () => (await booted.kernel.show(old)).state === "paused", "it is parked");
  expect(outside.done).toEqual([]);
  booted = await booted.again({ programs: trip(second, "2", { "1": first }) });
  const fresh = await booted.kernel.spawn({ agent: "trip", capabilities });
  await booted.kernel.send(fresh, null, { type: "go" });
  await booted.kernel.wait(old);
  await booted.kernel.wait(fresh);

  expect(outside.done.toSorted()).toEqual(["book new", "book old"]);
});
