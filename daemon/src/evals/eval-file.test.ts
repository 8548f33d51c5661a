import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readEvalFile } from "./eval-file.ts";
import { evalInputOf } from "./eval-start.ts";

const given = {
  apiVersion: "aos/v1",
  kind: "Eval",
  name: "x",
  agents: [
    {
      name: "a",
      manifest: {
        apiVersion: "aos/v1",
        kind: "Agent",
        name: "a",
        model: "scripted/a",
        capabilities: ["model:scripted/a:infer"],
      },
    },
  ],
  data: [{ input: "one", expected: "1" }],
  scorers: [{ type: "exact" }],
};

const problemOf = (more: object): string => {
  try {
    readEvalFile(stringify({ ...given, ...more }), "e.yaml");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("an Eval file", () => {
  test.each<[object, RegExp]>([
    [{ colour: "red" }, /e\.yaml:\d+: colour: /],
    [{ scorers: [] }, /e\.yaml:\d+: scorers: /],
    [{ scorers: [{ type: "exakt" }] }, /e\.yaml:\d+: scorers\[0\]/],
    [{ scorers: [{ type: "exact", valeu: 1 }] }, /e\.yaml:\d+: scorers\[0\]\.valeu: /],
    [{ scorers: [{ type: "exact" }, { type: "exact" }] }, /two scorers are called exact/],
    [{ scorers: [{ type: "regex", pattern: "(a)\\1" }] }, /scorers\[0\]\.pattern: back references/],
    [{ scorers: [{ type: "exact", value: "{{a b}}" }] }, /scorers\[0\]\.value: /],
    [{ failUnder: { exakt: 1 } }, /failUnder\.exakt: there is no scorer exakt/],
    [{ input: "{{" }, /input: /],
    [{ repeat: 0 }, /repeat: /],
  ])("with %j is refused with its line: %s (EVAL-FILE-1)", (more, message) => {
    expect(problemOf(more)).toMatch(message);
  });

  test("is frozen with agents, models and cases that are filled in (EVAL-START-1)", () => {
    const text = stringify({
      ...given,
      models: ["scripted/b", "scripted/c"],
      input: { asked: "{{word}}!", n: "{{n}}" },
      data: [{ word: "{{n}}", n: 3 }],
      budget: { usd: 1, perRun: 0.2 },
    });
    const input = evalInputOf({} as never, { file: { file: "e.yaml", text }, repeat: 2 });

    expect(input.cases[0]!.input).toEqual({ asked: "{{n}}!", n: 3 });
    expect(input.variants).toMatchObject([
      {
        name: "scripted/b",
        limitUsd: 0.2,
        manifest: { model: "scripted/b", capabilities: ["model:scripted/b:infer"] },
      },
      { name: "scripted/c" },
    ]);
    expect(input).toMatchObject({ repeat: 2, budgetUsd: 1 });
  });

  test("says what is missing before anything runs", () => {
    const start = (more: object) => () =>
      evalInputOf({} as never, {
        file: { file: "e.yaml", text: stringify({ ...given, ...more }) },
      });

    expect(start({ data: "cases.jsonl" })).toThrow("e.yaml names cases.jsonl, which was not given");
    expect(
      start({
        data: [
          { id: 1, input: "a" },
          { id: 1, input: "b" },
        ],
      }),
    ).toThrow("has the id 1");
    expect(start({ data: [{ question: "a" }] })).toThrow("there is no input");
    expect(start({ agents: [...given.agents, ...given.agents] })).toThrow(
      "two agents are called a",
    );
  });
});
