import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CapabilityError } from "../capability/index.ts";
import { nearestHint, ProblemList } from "./problem-list.ts";
import { PolicyError, PolicyProblems } from "../policy/problem.ts";
import { problemsOf } from "../../../tests/helpers/kernel/policy-subject.ts";

const placesOf = (problems: ProblemList) =>
  problemsOf(() => problems.done()).map(({ path, message }) => [path, message]);

describe("problems, each at its place", () => {
  test("without any nothing is thrown", () => {
    expect(() => new ProblemList().done()).not.toThrow();
  });

  test("the message has a line for each, with its place as people write it", () => {
    const problems = new ProblemList();
    problems.at([], "it is empty");
    problems.at(["rules", 3, "deny", 0], "no such call");

    expect(() => problems.done()).toThrow(PolicyProblems);
    expect(() => problems.done()).toThrow("policy: it is empty\nrules[3].deny[0]: no such call");
  });

  test("what a reader refuses is a problem; anything else is a bug, and is thrown on", () => {
    const problems = new ProblemList();
    const failing = (error: Error) => (): never => {
      throw error;
    };

    expect(problems.try(["a"], () => 1)).toBe(1);
    expect(problems.try(["a"], failing(new PolicyError([2], "no")))).toBeUndefined();
    expect(problems.try(["b"], failing(new CapabilityError("bad", "x", 0)))).toBeUndefined();
    expect(() => problems.try(["c"], failing(new TypeError("boom")))).toThrow("boom");
    expect(placesOf(problems)).toEqual([
      [["a", 2], "no"],
      [["b"], expect.stringContaining("bad")],
    ]);
  });

  test("what a schema refuses, and each key that it does not know", () => {
    const problems = new ProblemList();
    const schema = z.strictObject({ list: z.array(z.strictObject({ n: z.number() })) });

    expect(problems.parse(schema, { list: [{ n: 1 }] })).toEqual({ list: [{ n: 1 }] });
    expect(problems.parse(schema, { list: [{ n: 1 }, { n: "1", a: 1, b: 2 }] })).toBeUndefined();
    expect(placesOf(problems)).toEqual([
      [["list", 1, "n"], expect.stringContaining("number")],
      [["list", 1, "a"], 'unknown key "a"'],
      [["list", 1, "b"], 'unknown key "b"'],
    ]);
  });
});

describe("the nearest name", () => {
  test.each([
    ["raed", ["write", "read"], "read"],
    ["READ", ["write", "read"], "read"],
    ["red", ["read"], "read"],
    ["reead", ["read"], "read"],
    ["a", ["b"], "b"],
    ["abcd", ["abxy"], "abxy"],
    ["abcd", ["axyz"], undefined],
    ["abcdefghijkl", ["abcdefghWXYZ"], "abcdefghWXYZ"],
    ["abcdefghijkl", ["abcdefgVWXYZ"], undefined],
    ["ab", ["abcd"], "abcd"],
    ["abcd", ["ab"], "ab"],
    ["ab", ["abcde"], undefined],
    ["abcde", ["ab"], undefined],
    ["", ["ab"], "ab"],
    ["cat", ["car", "cat", "can"], "cat"],
    ["cax", ["car", "can"], "car"],
    ["x", [], undefined],
  ])("%s of %j is %s", (word, names, near) => {
    expect(nearestHint(word, names)).toBe(near === undefined ? "" : `; did you mean "${near}"?`);
  });
});
