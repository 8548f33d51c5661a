import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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

test.each([
  ["*.log\n!keep.log", ["a.log", "x/b.log"], ["keep.log", "x/keep.log"]],
  ["**/x", ["x", "a/b/x"], ["xy"]],
  ["a?b", ["acb", "d/acb"], ["ab", "a/b"]],
  ["[ab].txt", ["a.txt", "d/b.txt"], ["c.txt"]],
  ["/top", ["top"], ["sub/top"]],
  ["a/**/z", ["a/z", "a/b/c/z"], ["b/a/z"]],
  ["a*b", ["ab", "axxb"], ["a/b"]],
  ["\\#odd", ["#odd"], ["odd"]],
  ["*", ["anything", ".hidden"], []],
  ["Case", ["Case"], ["case"]],
  ["..odd", ["..odd"], ["odd"]],
])("%j means what it means in a .gitignore file", (text, left, taken) => {
  const ignores = readIgnore(text);

  expect(left.filter((path) => !ignores(path, false))).toEqual([]);
  expect(taken.filter((path) => ignores(path, false))).toEqual([]);
});

test("git says the same of a whole tree", () => {
  const top = mkdtempSync(join(tmpdir(), "aos-ignore-"));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const text = "*.log\n!keep.log\n/build\ntarget/\nsrc/**/gen\n[Tt]emp*\na b\n\\!bang\n";
  const paths = ["a.log", "keep.log", "d/keep.log", "build", "d/build", "src/gen", "src/a/b/gen"];
  paths.push("gen", "Temp1", "d/temp", "TEMP", "a b", "!bang", "bang", "target", "src/a/c");
  execFileSync("git", ["init", "-q", top]);
  writeFileSync(join(top, ".gitignore"), text);

  const asked = spawnSync("git", ["-C", top, "check-ignore", "--no-index", "--stdin", "-z"], {
    input: paths.join("\0"),
    encoding: "utf8",
  });

  const ignores = readIgnore(text);
  const ours = paths.filter((path) => ignores(path, false));
  expect(ours).toEqual(asked.stdout.split("\0").filter(Boolean));
});

test.each(["../up", "a//b", "./a", "**/a/**/b/**/c", "!**/a/**/b"])(
  "IGNORE-1: %j is refused, and said so with its line",
  (line) => {
    expect(() => readIgnore(`ok\n${line}\n`)).toThrow(/^\.aosignore:2: /);
  },
);
