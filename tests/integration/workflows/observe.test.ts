// What people see of a workflow while it runs, and how they take back one that has ended.

import type { Json, ManifestText, ProcessId, Sys } from "@aos/protocol";
import { programs as shipped } from "@aos/userland";
import { queryWorkflow, takeBack, workflowReportOf } from "@aos/daemon/parts";
import { describe, expect, test } from "vitest";
import { bootForTest, until, type Booted } from "../../helpers/kernel.ts";
import { book, bookings, outcomeOf, workflow, workflowPrograms } from "./workflow-rig.ts";

const programs = { ...workflowPrograms, "take-back": shipped["take-back"]!.run };

async function begin(manifest: ManifestText, input: Json = null) {
  const outside = bookings();
  const booted = await bootForTest({ programs, tools: outside.tools });
  const pid = await booted.kernel.spawn({ manifest, input });
  return { booted, outside, pid };
}

const waitsOn = async ({ kernel }: Booted, pid: ProcessId, on: string) =>
  (await kernel.show(pid)).waitingOn === on;

const statesOf = async ({ kernel }: Booted, pid: ProcessId) =>
  Object.fromEntries(
    (await workflowReportOf(kernel, pid)).graph.map((one) => [one.step, one.state]),
  );

const trip = workflow(
  [
    book("hotel"),
    {
      id: "each",
      map: {
        over: "{{input.names}}",
        limit: 1,
        steps: [book("seat", { args: { what: "seat of {{item}}" } })],
      },
    },
    { id: "paid", wait: { signal: "paid" } },
    { id: "sure", ask: { question: "Send it to {{steps.paid.by}}?", choices: ["yes", "no"] } },
    { id: "rest", sleep: "1h" },
  ],
  {
    signals: { paid: { schema: { type: "object", required: ["by"] } } },
    queries: { hotel: "{{steps.hotel.id}}", seats: "{{size(steps.each)}} seats" },
  } as never,
);

describe("a workflow that runs", () => {
  test("shows its steps, what it waits for, and answers queries; the same after a crash (OBSERVE-RUN-1)", async () => {
    const { booted, pid } = await begin(trip, { names: ["Ada", "Bob"] });
    await until(() => waitsOn(booted, pid, "message"));

    const first = await statesOf(booted, pid);
    const report = await workflowReportOf(booted.kernel, pid);
    const recordsBefore = (await booted.kernel.show(pid)).records;
    const answers = [
      await queryWorkflow(booted.kernel, pid, "hotel"),
      await queryWorkflow(booted.kernel, pid, "seats"),
    ];

    expect(first).toEqual({
      hotel: "done",
      each: "done",
      "each[0]/seat": "done",
      "each[1]/seat": "done",
      paid: "waiting",
      sure: "pending",
      rest: "pending",
    });
    expect(report).toMatchObject({ waitsFor: ["message paid"], done: 4, steps: 7 });
    expect(report.armed.map(({ step }) => step)).toEqual(["each[1]/seat", "each[0]/seat", "hotel"]);
    expect(answers).toEqual(["hotel-1", "2 seats"]);
    expect((await booted.kernel.show(pid)).records).toBe(recordsBefore);

    await booted.kernel.enter("step", "test", null);
    const after = await booted.crash();
    expect(await statesOf(after, pid)).toEqual(first);
    await after.kernel.send(pid, { by: "Ada" }, { type: "paid" });
    await until(async () => (await after.kernel.questions()).length > 0);
    const asked = await workflowReportOf(after.kernel, pid);
    const [question] = await after.kernel.questions();
    expect(asked.waitsFor).toEqual(["person"]);
    expect(asked.graph.find(({ step }) => step === "sure")).toMatchObject({
      question: question!.id,
    });
    await after.kernel.answer(question!.id, { choice: "yes", by: "tester" });
    await until(() => waitsOn(after, pid, "timer"));
    expect((await workflowReportOf(after.kernel, pid)).waitsFor).toEqual(["time"]);
    await expect(queryWorkflow(after.kernel, pid, "price")).rejects.toMatchObject({
      code: "ENOENT",
      hint: "it has hotel, seats",
    });
    await after.kernel.signal(pid, "SIGTERM");
    await after.kernel.wait(pid);
    expect(await statesOf(after, pid)).toMatchObject({ hotel: "undone", rest: "failed" });
  });

  test("that has begun again is shown from there on, also by a host that begins there", async () => {
    const { booted, pid, outside } = await begin(
      workflow(
        [book("trip", { args: { what: "{{input}}" } }), { id: "go", wait: { signal: "go" } }],
        {
          signals: { go: {} },
          repeat: { if: "run.generation < 2", input: "{{input}}x" },
        } as never,
      ),
      "t",
    );
    let host = booted;
    for (const generation of [0, 1, 2]) {
      await until(
        async () => outside.done.length > generation && (await waitsOn(host, pid, "message")),
      );
      await host.kernel.enter("step", "test", null);
      host = await host.crash();
      await until(() => waitsOn(host, pid, "message"));
      expect(await workflowReportOf(host.kernel, pid)).toMatchObject({
        generation,
        state: "waiting",
        waitsFor: ["message go"],
      });
      await host.kernel.send(pid, null, { type: "go" });
    }

    const { state, output } = await host.kernel.wait(pid);

    expect(state).toBe("completed");
    expect(outside.done).toEqual(["book t", "book tx", "book txx"]);
    expect(outcomeOf(output).armed).toHaveLength(3);
  });

  test("ends with the steps that it began with, though its definition is another now (WORKFLOW-1)", async () => {
    const outside = bookings();
    let definition = workflow([{ id: "go", wait: { signal: "go" } }, book("old")], {
      signals: { go: {} },
    } as never);
    const agents = (name: string) => (name === "flow" ? { manifest: definition } : undefined);
    let booted = await bootForTest({ programs, tools: outside.tools, agents });
    const old = await booted.kernel.spawn({ agent: "flow" });
    await until(() => waitsOn(booted, old, "message"));
    definition = workflow([book("new")]);

    booted = await booted.again();
    const fresh = await booted.kernel.spawn({ agent: "flow" });
    await booted.kernel.wait(fresh);
    await booted.kernel.send(old, null, { type: "go" });
    await booted.kernel.wait(old);

    expect(outside.done).toEqual(["book new", "book old"]);
    const versions = await Promise.all(
      [old, fresh].map(async (pid) => (await workflowReportOf(booted.kernel, pid)).version),
    );
    expect(new Set(versions).size).toBe(2);
  });
});

describe("aos undo", () => {
  test("takes back a workflow that completed, the last first, once (ARMED-CALLS-1)", async () => {
    const { booted, pid, outside } = await begin(
      workflow([book("hotel"), book("car"), { id: "last", wait: { signal: "go" } }], {
        signals: { go: {} },
      } as never),
    );
    const { kernel } = booted;
    await until(() => waitsOn(booted, pid, "message"));
    await expect(takeBack(kernel, pid, "tester")).rejects.toMatchObject({ code: "ESTATE" });
    await kernel.send(pid, null, { type: "go" });
    await kernel.wait(pid);

    const [one, two] = await Promise.all([
      takeBack(kernel, pid, "tester"),
      takeBack(kernel, pid, "tester"),
    ]);
    const { state, output } = await kernel.wait(one.pid);

    expect(one.pid).toBe(two.pid);
    expect(one.armed.map(({ step }) => step)).toEqual(["car", "hotel"]);
    expect(state).toBe("completed");
    expect(outcomeOf(output).undone).toEqual(["car", "hotel"]);
    expect(outside.done.slice(2)).toEqual(["cancel car", "cancel hotel"]);
    await expect(takeBack(kernel, pid, "tester")).rejects.toMatchObject({
      code: "ESTATE",
      message: `${pid} is taken back already, by ${one.pid}`,
    });
  });

  test("takes back what a killed one did, by its journal", async () => {
    const { booted, pid, outside } = await begin(
      workflow([book("hotel"), { id: "go", wait: { signal: "go" } }], {
        signals: { go: {} },
      } as never),
    );
    await until(() => waitsOn(booted, pid, "message"));
    await booted.kernel.signal(pid, "SIGKILL");
    await booted.kernel.wait(pid);

    const taken = await takeBack(booted.kernel, pid, "tester");
    await booted.kernel.wait(taken.pid);

    expect(outside.done).toEqual(["book hotel", "cancel hotel"]);
  });

  test("tries again only what could not be taken back", async () => {
    const { booted, pid, outside } = await begin(workflow([book("hotel"), book("car")]));
    const { kernel } = booted;
    await kernel.wait(pid);
    outside.failing.set("cancel hotel", 5);

    const first = await takeBack(kernel, pid, "tester");
    await until(async () => (await kernel.questions()).length > 0);
    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { choice: "skip", by: "tester" });
    const failed = await kernel.wait(first.pid);
    const second = await takeBack(kernel, pid, "tester");
    await kernel.wait(second.pid);

    expect(failed.exitCode).toBe(1);
    expect(second.pid).not.toBe(first.pid);
    expect(outside.done.slice(2)).toEqual(["cancel car", "cancel hotel"]);
  });

  test("takes back what the tools of another run did, with those of its children", async () => {
    const outside = bookings();
    const booker = async (sys: Sys, input: Json) => sys.exec("book", { what: input });
    const parent = async (sys: Sys) => {
      await sys.exec("book", { what: "mine" });
      await sys.wait(await sys.spawn("booker", "theirs", { capabilities: ["tool:*:call"] }));
      await sys.exec("book", { what: "bad" }).catch(() => {});
      return sys.exec("look", {});
    };
    outside.failing.set("book bad", 1);
    const { kernel } = await bootForTest({
      programs: { ...programs, booker, parent },
      tools: outside.tools,
    });
    const capabilities = ["tool:*:call", "agent:*:spawn"];
    const pid = await kernel.spawn({ agent: "parent", capabilities });
    await kernel.wait(pid);

    const { pid: taken } = await takeBack(kernel, pid, "tester");
    await kernel.wait(taken);

    expect(outside.done.slice(2)).toEqual(["cancel theirs", "cancel mine"]);
  });

  test("has the power of the run and no more", async () => {
    const { booted, pid, outside } = await begin(
      workflow([book("hotel")], { capabilities: ["tool:book:call"] }),
    );
    const { kernel } = booted;
    await kernel.wait(pid);

    const { pid: taken } = await takeBack(kernel, pid, "tester");
    await until(async () => (await kernel.questions()).length > 0);
    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { choice: "skip", by: "tester" });
    const { output } = await kernel.wait(taken);

    expect(question!.question).toContain("EACCES");
    expect(outcomeOf(output).lasting).toMatchObject([{ step: "hotel", tool: "cancel" }]);
    expect(outside.done).toEqual(["book hotel"]);
  });
});
