import { expect, test } from "vitest";
import { readIgnore } from "./ignore.ts";

test("a name is left out wherever it is; a path where it is", () => {
  const ignores = readIgnore("secrets.txt\nsub/one\n  *.log  \n\n# no\n");

  expect(ignores("secrets.txt", false)).toBe(true);
  expect(ignores("a/b/secrets.txt", true)).toBe(true);
  expect(ignores("a/secrets.txt.bak", false)).toBe(false);
  expect(ignores("sub/one", false)).toBe(true);
  expect(ignores("a/sub/one", false)).toBe(false);
  expect(ignores("x/y.log", false)).toBe(true);
  expect(ignores("log", false)).toBe(false);
});

test("with a slash at its end it is a folder only", () => {
  const ignores = readIgnore("target/");

  expect(ignores("a/target", true)).toBe(true);
  expect(ignores("a/target", false)).toBe(false);
});

test.each(["!keep", "**/x", "a?b", "[ab]", "../up", "/top", "a//b", "a*b", "*", "*.a*", "a\\b"])(
  "%j is not understood, and said so with its line",
  (line) => {
    expect(() => readIgnore(`ok\n${line}\n`)).toThrow(/\.aosignore:2: .* is not understood/);
  },
);
