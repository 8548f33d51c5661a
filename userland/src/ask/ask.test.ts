import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { askProgram } from "./ask.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

test("it asks once, with what it was given, and returns what was said", async () => {
  const asked: unknown[] = [];
  const sys = {
    infer: async (request: unknown) => {
      asked.push(request);
      return { text: "ready", toolCalls: [], finish: "stop", usage };
    },
  } as unknown as Sys;

  const output = await askProgram(sys, { model: "a/b", text: "hi", maxTokens: 5, timeoutMs: 10 });

  expect(output).toEqual({ text: "ready", finish: "stop" });
  expect(asked).toEqual([
    { model: "a/b", messages: [{ role: "user", content: "hi" }], maxTokens: 5, timeoutMs: 10 },
  ]);
});

test.each([null, {}, { model: "a/b" }, { text: "hi" }])(
  "%j names no model and text",
  async (input) => {
    await expect(askProgram({} as Sys, input)).rejects.toMatchObject({ code: "EINVAL" });
  },
);
