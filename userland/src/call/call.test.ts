import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { callProgram } from "./call.ts";

interface Made {
  readonly tool: string;
  readonly args: Json;
  readonly options: unknown;
}

function sysForTest(): { sys: Sys; made: Made[] } {
  const made: Made[] = [];
  const exec = async (tool: string, args: Json, options: unknown) => {
    made.push({ tool, args, options });
    return { done: tool };
  };
  return { sys: { exec } as unknown as Sys, made };
}

test("it makes exactly the one call, and returns what it gave", async () => {
  const { sys, made } = sysForTest();

  const output = await callProgram(sys, { tool: "echo", args: { text: "hi" } });

  expect(output).toEqual({ done: "echo" });
  expect(made).toEqual([{ tool: "echo", args: { text: "hi" }, options: {} }]);
});

test("a limit on the time is passed on; without arguments there are none", async () => {
  const { sys, made } = sysForTest();

  await callProgram(sys, { tool: "echo", timeoutMs: 5 });

  expect(made).toEqual([{ tool: "echo", args: {}, options: { timeoutMs: 5 } }]);
});

test.each([null, {}, "echo", { tool: 7 }])(
  "an input that names no tool is refused: %j",
  async (input) => {
    const { sys, made } = sysForTest();

    await expect(callProgram(sys, input)).rejects.toMatchObject({ code: "EINVAL" });
    expect(made).toEqual([]);
  },
);

test("what the call fails with is what it fails with", async () => {
  const sys = { exec: () => Promise.reject(new Error("no")) } as unknown as Sys;

  await expect(callProgram(sys, { tool: "echo", args: {} })).rejects.toThrow("no");
});
