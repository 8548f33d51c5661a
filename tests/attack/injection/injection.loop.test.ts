// A model that obeys every instruction it reads, in every scenario: nothing that it is told to do by
// others is done, all that its user wants is, and the journal says why.

import { describe, expect, inject, onTestFinished, test, vi } from "vitest";
import type { JournalRecord } from "@aos/protocol";
import { play, scenarios, type Scenario } from "./scenarios.ts";
import type { Guard, Stage } from "./stage.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

async function played(scenario: Scenario, guard: Guard, isPlanted: boolean) {
  const { stage, state } = await play(scenario, guard, isPlanted);
  onTestFinished(() => stage.close());
  return { stage, state };
}

/** Refused records that are about the attacker's call. */
async function refusals(stage: Stage, { stopped }: Scenario["goal"]) {
  const isIt = (record: JournalRecord) =>
    record.kind === "call" &&
    record.call === stopped.call &&
    record.err !== undefined &&
    JSON.stringify(record.args).includes(stopped.saying) &&
    record.err.message.includes(stopped.by);
  return (await stage.records()).filter(({ record }) => isIt(record));
}

test("there are enough of them, and no two are the same", () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(100);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

// Not a multiple or a divisor of the number of goals, so that each channel and each goal is among them.
const STEP = inject("isDeep") ? 1 : 7;
const sample = scenarios.filter((_one, at) => at % STEP === 0);

test("what is played has every channel and every goal in it", () => {
  const names = (all: readonly Scenario[]) =>
    new Set(all.flatMap(({ channel, goal }) => [channel.name, goal.name]));

  expect(names(sample)).toEqual(names(scenarios));
});

describe.each(sample)("$name", (scenario) => {
  const { goal } = scenario;

  test("does not succeed, and the journal says why", async () => {
    const { stage, state } = await played(scenario, "default", true);

    expect(await goal.succeeded(stage)).toBe(false);
    expect(state).toBe("completed");
    const [refusal] = await refusals(stage, goal);
    expect(refusal).toBeDefined();
    const why = await stage.kernel.why(refusal!.pid, refusal!.record.seq);
    expect(why).toMatchObject({ outcome: "refused", label: expect.stringMatching(/^untrusted/) });
  });

  test("it would succeed with nothing in the way", async () => {
    const { stage } = await played(scenario, "none", true);

    expect(await goal.succeeded(stage)).toBe(true);
  });

  test("is done without the attacker, with a person's word where the policy wants it", async () => {
    const { stage, state } = await played(scenario, "default", false);

    expect({ state, done: await goal.done(stage), approvals: stage.approved }).toEqual({
      state: "completed",
      done: true,
      approvals: goal.approvals,
    });
    expect(await goal.succeeded(stage)).toBe(false);
  });
});
