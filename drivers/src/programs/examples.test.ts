// The examples run as they are, and a program of either client goes when the kernel goes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  startProgram,
  type FakeProgramOptions,
  closeSandboxAfterwards,
} from "../../../tests/helpers/drivers/fake-kernel.ts";

closeSandboxAfterwards();

describe("the examples run", () => {
  const example = (name: string, command: string[]): FakeProgramOptions => ({
    folder: fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url)),
    command,
    answer: ({ name }) => ({ now: 1000, random: 0.5, list: ["1", "2"] })[name] ?? null,
  });

  test("python-agent runs to its end", async () => {
    const run = example("python-agent", ["python3", "agent.py"]);

    const kernel = startProgram({ ...run, input: "the fox and the dog\n\nthe end" });

    expect(await kernel.ended).toMatchObject({
      code: 0,
      output: { words: 7, distinct: 5, paragraphs: 2, luckyWord: "end", startedAt: 1000 },
    });
    expect(kernel.stderr()).toBe("counted 2 paragraphs\n");
  });

  test("typescript-agent runs to its end", async () => {
    const run = example("typescript-agent", ["node", "agent.ts"]);

    const kernel = startProgram({ ...run, input: "Ada, Grace Barbara" });

    const output = { winner: "Grace", among: 3, drawnAt: "1970-01-01T00:00:01.000Z" };
    expect(await kernel.ended).toEqual({ kind: "returned", code: 0, output });
  });
});

test.each([
  ["python-agent", "python3", "agent.py"],
  ["typescript-agent", process.execPath, "agent.ts"],
])("%s ends when the kernel is gone", async (name, command, file) => {
  const cwd = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
  const program = spawn(command, [file], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  program.stdin.write('{"jsonrpc":"2.0","method":"start","params":{"protocol":1,"input":"a"}}\n');
  await once(program.stdout, "data");

  program.stdin.end();

  expect(await once(program, "exit")).toEqual([1, null]);
});

test.each([
  ["python-agent", "python3", "agent.py"],
  ["typescript-agent", process.execPath, "agent.ts"],
])("%s exits with 1 when the kernel speaks another version", async (name, command, file) => {
  const cwd = fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
  const program = spawn(command, [file], { cwd, stdio: ["pipe", "pipe", "ignore"] });

  program.stdin.write('{"jsonrpc":"2.0","method":"start","params":{"protocol":2,"input":"a"}}\n');

  const [said] = (await once(program.stdout, "data")) as [Buffer];
  expect(JSON.parse(said.toString())).toMatchObject({
    method: "exit",
    params: { code: 1, output: { error: { code: "EINVAL" } } },
  });
});
