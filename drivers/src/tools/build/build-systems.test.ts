import { expect, test } from "vitest";
import { buildSystems, testCounts } from "./build-systems.ts";

const words = (system: string, target: string, ...args: string[]) =>
  buildSystems[system]!.words(target, args);

test("each system is told a target in its own way", () => {
  expect(words("npm", "test")).toEqual(["test"]);
  expect(words("npm", "build", "--fast")).toEqual(["run", "build", "--", "--fast"]);
  expect(words("make", "all", "V=1")).toEqual(["all", "V=1"]);
  expect(words("cargo", "check", "--all")).toEqual(["check", "--all"]);
  expect(words("pytest", "tests/a.py")).toEqual(["tests/a.py", "-p", "no:cacheprovider"]);
  expect(words("pytest", "test", "-k", "x")).toEqual(["-p", "no:cacheprovider", "-k", "x"]);
});

test.each([
  ["npm", "--prefix=/x"],
  ["npm", "a b"],
  ["make", "-f/work/evil"],
  ["make", "../x"],
  ["make", ""],
  ["cargo", "install"],
  ["cargo", "--config=x"],
  ["pytest", "-p"],
])("BUILD-SYSTEMS-1: %s %s is refused", (system, target) => {
  expect(() => words(system, target)).toThrow(/is not a valid target name|is not allowed/);
});

test("BUILD-SYSTEMS-1: the words of make are names too", () => {
  expect(() => words("make", "all", "--eval=x")).toThrow("is not a valid target name");
});

test("only what fetches packages is online", () => {
  expect(buildSystems["npm"]!.online.has("ci")).toBe(true);
  expect(buildSystems["npm"]!.online.has("test")).toBe(false);
});

test.each<[string, string, { passed: number; failed: number } | undefined]>([
  ["tap", "# tests 3\n# pass 2\n# fail 1\n", { passed: 2, failed: 1 }],
  ["node", "ℹ pass 4\nℹ fail 0\n", { passed: 4, failed: 0 }],
  ["pytest", "=== 1 failed, 5 passed in 0.12s ===", { passed: 5, failed: 1 }],
  [
    "cargo",
    "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed;",
    { passed: 4, failed: 2 },
  ],
  ["vitest", "      Tests  2 failed | 37 passed (39)", { passed: 37, failed: 2 }],
  ["nothing", "compiled", undefined],
])("%s says how many passed", (_who, output, summary) => {
  expect(testCounts(output)).toEqual(summary);
});
