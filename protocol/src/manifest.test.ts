import { expect, test } from "vitest";
import { manifestSchema } from "./manifest.ts";

const problems = (more: object): string[] => {
  const read = manifestSchema.safeParse({
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "it",
    ...more,
  });
  return (read.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
};

test("what could never come to anything is refused when it is read", () => {
  const ladder = { model: ["a/1", "a/2"], escalate_on: ["low_confidence"] };

  expect(problems({ model: "a/1", escalate_on: ["loop"] })).toEqual([
    "escalate_on: needs a `model` that is a list of two or more",
  ]);
  expect(problems({ escalate_on: ["loop"] })).toHaveLength(1);
  expect(problems(ladder)).toEqual([
    "escalate_on: low_confidence needs `confidence` with its threshold",
  ]);
  expect(problems({ memory: { episodes: true } })).toEqual([
    "memory: needs capabilities for /mem/episodic (episodes), /mem/semantic (extract)",
  ]);
  expect(problems({ memory: { extract: "rules" }, capabilities: ["tool:*:call"] })).toHaveLength(1);
  expect(problems({ memory: { episodes: false, extract: "off" } })).toEqual([]);
  expect(
    problems({ memory: { extract: "rules", model: "a/b" }, capabilities: ["memory:/mem/**:*"] }),
  ).toEqual(["memory: model needs `extract: model`"]);
  expect(problems({ history: { messages: 4 } })).toEqual([
    "history: is for an agent that is `persistent`",
  ]);
});

test("what means something is read", () => {
  expect(
    problems({
      model: ["a/1", "a/2"],
      escalate_on: ["low_confidence", "loop"],
      confidence: { threshold: 0.5 },
      persistent: true,
      history: { messages: 4 },
    }),
  ).toEqual([]);
  expect(problems({ model: ["a/1"] })).toEqual([]);
});
