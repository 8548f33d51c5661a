// Sagas: what was done is taken back, the last first, once; also when the host is killed in the middle.

import type { Json, ManifestText, ProcessId } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { type Booted, bootForTest, until } from "../../helpers/kernel.ts";
import { book, bookings, outcomeOf, workflow, workflowPrograms } from "./workflow-rig.ts";

const NAMES = ["flight", "hotel", "car", "insurance", "mail"];

const IMPATIENT = { undo: { tool: "cancel", args: { what: "hotel" }, retry: { max: 1 } } };

/** Five steps; after each and before each undo somebody has to say `go`. */
const paused = (more: Partial<ManifestText> = {}): ManifestText =>
  workflow(
    NAMES.flatMap((id) => [
      book(id, id === "hotel" ? IMPATIENT : {}),
      { id: `after-${id}`, wait: { signal: "go" } },
    ]),
    { signals: { go: {} } as never, ...more },
  );

const saga = (steps: readonly Json[] = NAMES.map((id) => book(id))): ManifestText =>
  workflow(steps);

async function begin(manifest: ManifestText, fails: Record<string, number> = {}) {
  const outside = bookings();
  for (const [act, times] of Object.entries(fails)) outside.failing.set(act, times);
  const booted = await bootForTest({ programs: workflowPrograms, tools: outside.tools });
  const pid = await booted.kernel.spawn({ manifest, input: null });
  return { booted, outside, pid, done: outside.done };
}

const isWaiting = async ({ kernel }: Booted, pid: ProcessId, on: string) =>
  (await kernel.show(pid)).waitingOn === on;

describe("a saga of five steps whose fourth fails", () => {
  test("takes back three, the last first, once (COMPENSATE-1)", async () => {
    const { booted, pid, done } = await begin(saga(), { "book insurance": 9 });

    const { state, exitCode, output } = await booted.kernel.wait(pid);

    expect(done).toEqual([
      "book flight",
      "book hotel",
      "book car",
      "cancel car",
      "cancel hotel",
      "cancel flight",
    ]);
    expect({ state, exitCode }).toEqual({ state: "failed", exitCode: 1 });
    expect(outcomeOf(output)).toMatchObject({
      status: "failed",
      failed: { step: "insurance", message: expect.stringContaining("no luck") as string },
      undone: ["car", "hotel", "flight"],
    });
  });

  test("does so once although the host is killed at each step, and in each undo", async () => {
    const begun = await begin(paused(), { "book insurance": 9, "cancel hotel": 1 });
    const { pid, done } = begun;
    let booted = begun.booted;
    const crash = async () => {
      await booted.kernel.enter("step", "test", null); // what was recorded until now is on the disk
      booted = await booted.crash();
    };

    for (const name of ["flight", "hotel", "car"]) {
      await until(async () => done.includes(`book ${name}`) && isWaiting(booted, pid, "message"));
      await crash();
      await until(() => isWaiting(booted, pid, "message"));
      await booted.kernel.send(pid, null, { type: "go" });
    }
    await until(async () => (await booted.kernel.questions()).length > 0, "a question"); // the undo of the hotel
    await crash();
    await until(async () => (await booted.kernel.questions()).length > 0, "the question again");
    const [question] = await booted.kernel.questions();
    await booted.kernel.answer(question!.id, { choice: "retry", by: "tester" });
    const { output } = await booted.kernel.wait(pid);

    expect(outcomeOf(output).undone).toEqual(["car", "hotel", "flight"]);
    expect(done).toEqual([
      "book flight",
      "book hotel",
      "book car",
      "cancel car",
      "cancel hotel",
      "cancel flight",
    ]);
  });
});

describe("an undo that fails", () => {
  test("is tried again, then a person is asked, and the others go on (COMPENSATE-2)", async () => {
    const undo = { tool: "cancel", args: { what: "hotel" }, retry: { max: 2, backoff: "1ms" } };
    const steps = [book("flight"), book("hotel", { undo }), book("insurance")];
    const { booted, pid, done } = await begin(saga(steps), {
      "book insurance": 9,
      "cancel hotel": 99,
    });
    const { kernel } = booted;

    await until(async () => (await kernel.questions()).length > 0, "a question");
    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { choice: "skip", by: "tester" });
    const { output, error } = await kernel.wait(pid);

    expect(question!.question).toContain("The step hotel could not be taken back");
    expect(outcomeOf(output)).toMatchObject({
      undone: ["flight"],
      lasting: [{ step: "hotel", tool: "cancel" }],
      failed: { step: "insurance" },
    });
    expect(error?.message).toContain("not taken back: hotel");
    expect(done).toEqual(["book flight", "book hotel", "cancel flight"]);
  });

  test("of a person who did it by hand counts as done", async () => {
    const undo = { tool: "cancel", args: { what: "hotel" }, retry: { max: 1 } };
    const { booted, pid } = await begin(saga([book("hotel", { undo }), book("insurance")]), {
      "book insurance": 9,
      "cancel hotel": 99,
    });

    await until(async () => (await booted.kernel.questions()).length > 0, "a question");
    const [question] = await booted.kernel.questions();
    await booted.kernel.answer(question!.id, { choice: "done", by: "tester" });

    const { output } = await booted.kernel.wait(pid);
    expect(outcomeOf(output)).toMatchObject({ undone: ["hotel"], lasting: [] });
  });
});

describe("what cannot be taken back", () => {
  test("is named, and what only reads is not (FLOW-2)", async () => {
    const steps = [
      { id: "seen", tool: "look", args: {} },
      { id: "paid", tool: "pay", args: {} },
      book("insurance"),
    ];
    const { booted, pid } = await begin(saga(steps), { "book insurance": 9 });

    const { output } = await booted.kernel.wait(pid);

    expect(outcomeOf(output).lasting).toEqual([
      { step: "paid", tool: "pay", why: "it has no undo" },
    ]);
  });
});

describe("a run that is cancelled", () => {
  test("takes back what was done, and no second cancel stops it (RUN-WORKFLOW-2, COMPENSATE-3)", async () => {
    const { booted, pid, done } = await begin(paused());

    await until(async () => done.length === 1 && isWaiting(booted, pid, "message"));
    await booted.kernel.signal(pid, "SIGTERM");
    await booted.kernel.signal(pid, "SIGTERM");
    const { output, exitCode } = await booted.kernel.wait(pid);

    expect(outcomeOf(output)).toMatchObject({ status: "cancelled", undone: ["flight"] });
    expect(exitCode).toBe(130);
    expect(done).toEqual(["book flight", "cancel flight"]);
  });

  test("waits for the tool that runs, so that it is known what was done (FLOW-3)", async () => {
    const steps = [
      {
        id: "paid",
        tool: "pay",
        args: { hold: true },
        undo: { tool: "cancel", args: { what: "it" } },
      },
      book("hotel"),
    ];
    const { booted, pid, done } = await begin(saga(steps));

    await until(() => booted.runs.length === 1);
    await booted.kernel.signal(pid, "SIGTERM");
    booted.runs[0]!.release();
    await booted.kernel.wait(pid);

    expect(done).toEqual(["cancel it"]);
  });
});

describe("an act of unknown outcome", () => {
  test("is not tried again, and is taken back (FLOW-2, FLOW-4)", async () => {
    const steps = [
      {
        id: "paid",
        tool: "pay",
        args: { hang: true },
        timeout: "50ms",
        retry: { max: 5, backoff: "1ms" },
        undo: { tool: "cancel", args: { what: "it" } },
      },
    ];
    const { booted, pid, done } = await begin(saga(steps));

    const { output } = await booted.kernel.wait(pid);

    expect(outcomeOf(output)).toMatchObject({ failed: { code: "ETIMEDOUT" }, undone: ["paid"] });
    expect(booted.runs).toHaveLength(1);
    expect(done).toEqual(["cancel it"]);
  });

  test("is tried again where the step says that it may be", async () => {
    const retry = { max: 3, backoff: "1ms" };
    const { booted, pid, done } = await begin(saga([book("hotel", { retry })]), {
      "book hotel": 2,
    });

    const { output } = await booted.kernel.wait(pid);

    expect(outcomeOf(output).status).toBe("completed");
    expect(done).toEqual(["book hotel"]);
  });
});
