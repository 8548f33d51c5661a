// A goal whose host is killed at every step boundary: the same result, and no external effect twice.

import type { GoalOutcome, Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { goalManifest, goalPrograms, planOf, plannerModel } from "./goal-rig.ts";

/** Acts outside, and then waits until the test lets it end. */
const acts = async (sys: Sys, input: Json) => {
  const { step } = input as { step: string };
  await sys.exec("pay", { step });
  await sys.receive();
  return `did ${step}`;
};

const roles = [
  { name: "acts", program: "acts", capabilities: ["tool:pay:call"] },
  { name: "sees", program: "sees" },
];

test("killed at every step boundary it gives the same result, and nothing happens twice (EXECUTOR-1, PLAN-2)", async () => {
  const steps = ["a", "b", "c", "d"];
  const plan = planOf([
    ...steps.map((id, at) => ({
      id,
      role: "acts",
      depends_on: steps.slice(Math.max(0, at - 1), at),
    })),
    { id: "all", role: "sees", depends_on: steps },
  ]);
  const planner = plannerModel([plan]);
  const models = [planner.driver];
  let booted = await bootForTest({ programs: { ...goalPrograms, acts }, models });
  const manifest = goalManifest({ roles });
  const pid = await booted.kernel.spawn({ manifest, input: "do a, b, c and then d" });

  for (const [done] of steps.entries()) {
    const waiting = async () =>
      (await booted.kernel.list({ parent: pid })).find(({ waitingOn }) => waitingOn === "message");
    await until(async () => booted.runs.length > done && (await waiting()) !== undefined, "a step");
    await booted.kernel.enter("step", "test", null); // what was recorded until now is on the disk
    booted = await booted.crash();
    await until(async () => (await waiting()) !== undefined, "the same step");
    await booted.kernel.send((await waiting())!.pid, "go on");
  }

  const { state, output } = await booted.kernel.wait(pid);
  expect(state).toBe("completed");
  expect((output as unknown as GoalOutcome).result).toEqual({
    a: "did a",
    b: "did b",
    c: "did c",
    d: "did d",
  });
  expect(booted.runs.map(({ args }) => (args as { step: string }).step)).toEqual(steps);
  expect(planner.asked).toHaveLength(1);
  expect(await booted.kernel.list({ parent: pid })).toHaveLength(5);
});
