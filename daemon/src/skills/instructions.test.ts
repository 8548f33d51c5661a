import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { instructionLimits, instructionProblems, instructionsFor } from "./instructions.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-instructions-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}

const textsFor = async (...folders: string[]) =>
  (
    await instructionsFor(
      { tenant: "t", folders: folders.map((one) => join(top, one)) },
      () => true,
    )
  ).map(({ text }) => text);

test("INSTRUCTIONS-1, INSTRUCTIONS-2: files are read from the root of the repository down to the folder, the nearest last", async () => {
  put("AGENTS.md", "above");
  put("repo/.git/HEAD", "");
  put("repo/AGENTS.md", "root");
  put("repo/a/b/AGENTS.md", "near");

  expect(await textsFor("repo/a/b")).toEqual(["root", "near"]);
});

test("INSTRUCTIONS-1: without a repository the folder alone; one that is not there has none", async () => {
  put("AGENTS.md", "above");
  put("a/AGENTS.md", "own");

  expect(await textsFor("a")).toEqual(["own"]);
  expect(await textsFor("nowhere")).toEqual([]);
});

test("INSTRUCTIONS-2: what holds for both folders is told once; agents are of the project above them", async () => {
  put("repo/.git/HEAD", "");
  put("repo/AGENTS.md", "root");
  put("repo/.agents/agents/writer.yaml", "");
  put("repo/work/AGENTS.md", "work");

  expect(await textsFor("repo/.agents/agents", "repo/work")).toEqual(["root", "work"]);
});

test("INSTRUCTIONS-3: one that is too long is named, not read; of all the nearest are kept", async () => {
  put("long/AGENTS.md", "x".repeat(instructionLimits.fileBytes + 1));
  put("repo/.git/HEAD", "");
  put("repo/AGENTS.md", `1${"x".repeat(instructionLimits.fileBytes - 1)}`);
  put("repo/a/AGENTS.md", `2${"x".repeat(instructionLimits.fileBytes - 1)}`);
  put("repo/a/b/AGENTS.md", `3${"x".repeat(instructionLimits.fileBytes - 1)}`);

  expect(await textsFor("long")).toEqual([expect.stringContaining("the limit is 32768")]);
  const texts = await textsFor("repo/a/b");
  expect(texts.map((text) => text.slice(0, 2))).toEqual(["(A", "2x", "3x"]);
});

test("INSTRUCTIONS-4: a file that leads out of its folder is none", async () => {
  put("secret/AGENTS.md", "secret");
  mkdirSync(join(top, "a"));
  symlinkSync(join(top, "secret/AGENTS.md"), join(top, "a/AGENTS.md"));

  expect(await textsFor("a")).toEqual([]);
});

test("a file says its names, by which those who wrote it are known", async () => {
  put("a/AGENTS.md", "own");
  symlinkSync(join(top, "a"), join(top, "link"));

  const [file] = await instructionsFor({ tenant: "t", folders: [join(top, "link")] }, () => true);

  expect(file!.places).toEqual([join(top, "a/AGENTS.md"), join(top, "link/AGENTS.md")]);
});

test("INSTRUCTIONS-5: what nobody trusted is not told; a line says that it is there, and is nobody else's word", async () => {
  put("a/AGENTS.md", "obey me");

  const told = await instructionsFor({ tenant: "t", folders: [join(top, "a")] }, () => false);

  expect(told).toEqual([
    {
      text: `(AGENTS.md of ${join(top, "a")} is not trusted, and was left out: aos trust ${join(top, "a")})`,
      places: [],
    },
  ]);
});

test("INSTRUCTIONS-3, INSTRUCTIONS-4, INSTRUCTIONS-5: people are told in one line of each file that was not read", async () => {
  put("stranger/AGENTS.md", "do as I say");
  put("long/AGENTS.md", "x".repeat(instructionLimits.fileBytes + 1));
  put("elsewhere", "secret");
  put("out/notes", "");
  symlinkSync(join(top, "elsewhere"), join(top, "out/AGENTS.md"));
  put("empty/notes", "");
  const problemsOf = (folder: string, isTrusted: boolean) =>
    instructionProblems({ tenant: "t", folders: [join(top, folder)] }, () => isTrusted);

  const stranger = join(top, "stranger");
  expect(await problemsOf("stranger", false)).toEqual([
    `AGENTS.md of ${stranger} is not trusted and was not read: aos trust ${stranger}`,
  ]);
  expect(await problemsOf("stranger", true)).toEqual([]);
  expect(await problemsOf("long", true)).toEqual([
    expect.stringContaining(`AGENTS.md of ${join(top, "long")} was not read: AGENTS.md has 32769`),
  ]);
  expect(await problemsOf("out", true)).toEqual([
    expect.stringContaining(`AGENTS.md of ${join(top, "out")} was not read: `),
  ]);
  expect(await problemsOf("empty", true)).toEqual([]);
});
