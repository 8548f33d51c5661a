import { expect, test } from "vitest";
import { refusalWords } from "../refusal/refusals.ts";
import { judgeRulesOf } from "./judge.ts";

const process = { row: { root: "agt_1" }, layers: ["project:/a"] } as never;

function rules() {
  const asked: unknown[] = [];
  const trees = {
    refuseFull: (one: unknown) => asked.push(["full?", one]),
    add: (root: string, count: number) => asked.push([root, count]),
  };
  const policies = {
    current: "the policy",
    layersFor: ({ layers }: { layers: string[] }) => layers,
  };
  const made = judgeRulesOf(policies as never, trees as never, { wall: () => 7 }, refusalWords);
  return { made, asked };
}

test("a spawn is held to the limits of its tree, counted in it, and given back when it fails", () => {
  const { made, asked } = rules();

  for (const step of ["quota", "charge", "release"] as const)
    made[step](process, { call: "spawn" });

  expect(asked).toEqual([
    ["full?", process],
    ["agt_1", 1],
    ["agt_1", -1],
  ]);
});

test("no other call is counted in the tree", () => {
  const { made, asked } = rules();

  for (const step of ["quota", "charge", "release"] as const) made[step](process, { call: "exec" });

  expect(asked).toEqual([]);
});

test("rules are those in force, by the hour of the wall clock", () => {
  const { made } = rules();

  expect([made.timeOfDay(), made.policy(), made.layersFor(process)]).toEqual([
    7,
    "the policy",
    ["project:/a"],
  ]);
});
