import { expect, test } from "vitest";
import { ModelEscalation } from "./model-escalation.ts";

const ladderOf = (escalate_on?: ("loop" | "cutoff")[]) =>
  new ModelEscalation({ name: "it", model: ["a/1", "b/2", "c/3"], escalate_on });

test("MODEL-ESCALATION-1: it climbs rung by rung, to the last and no further", () => {
  const ladder = ladderOf(["loop"]);

  expect([ladder.model, ladder.climb("loop"), ladder.model]).toEqual(["a/1", true, "b/2"]);
  expect([ladder.climb("loop"), ladder.model]).toEqual([true, "c/3"]);
  expect([ladder.canClimb("loop"), ladder.climb("loop"), ladder.model]).toEqual([
    false,
    false,
    "c/3",
  ]);
});

test("MODEL-ESCALATION-2: it climbs for what is named, and for nothing else", () => {
  expect(ladderOf(["loop"]).climb("cutoff")).toBe(false);
  expect(ladderOf().climb("loop")).toBe(false);
});

test("it goes on from the rung that it was left on", () => {
  expect(new ModelEscalation({ name: "it", model: ["a/1", "b/2"], escalate_on: [] }, 1).model).toBe(
    "b/2",
  );
});
