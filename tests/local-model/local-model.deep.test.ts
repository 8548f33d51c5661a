// A real model on this machine, through llama.cpp and the wire that local servers speak.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asking, typeOf, user } from "../providers/rig.ts";
import { install } from "./install.mjs";
import { tinyGguf } from "./tiny-gguf.ts";

let reasonToSkip: string | undefined;
let folder: string;
let server: ChildProcess;
let lines: AsyncIterator<string>;
let reader: Interface;
let origin: string;

const nextLine = async (): Promise<string> => {
  const { value, done } = await lines.next();
  if (done) throw new Error("the server has gone");
  return value as string;
};

beforeAll(async () => {
  try {
    await install();
  } catch (error) {
    if (process.env["CI"] === "true") throw error;
    reasonToSkip = `llama.cpp cannot be installed here: ${(error as Error).message}`;
    return;
  }
  folder = mkdtempSync(join(tmpdir(), "aos-gguf-"));
  const file = join(folder, "tiny.gguf");
  writeFileSync(file, tinyGguf());
  server = spawn(process.execPath, [join(import.meta.dirname, "llama-server.mjs"), file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  reader = createInterface({ input: server.stdout! });
  lines = reader[Symbol.asyncIterator]();
  origin = await nextLine();
});
afterAll(() => {
  server?.kill("SIGKILL");
  reader?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
});
beforeEach((context) => {
  if (reasonToSkip !== undefined) context.skip(reasonToSkip);
});

const here = (onProgress = () => {}) =>
  asking(
    { ...typeOf("openai-compatible"), model: "p/tiny" },
    origin,
    { keySecret: undefined } as object,
    onProgress,
  );

test("it says something, piece by piece, the same every time", async () => {
  const { ask, deltas, driver } = here();

  const reply = await ask({ maxTokens: 24, temperature: 0 });
  const again = await ask({ maxTokens: 24, temperature: 0 });

  expect([await nextLine(), await nextLine()]).toEqual(["answered", "answered"]);
  expect(reply).toMatchObject({ finish: "length", usd: 0 });
  expect(reply.text).not.toBe("");
  expect(again.text).toBe(reply.text);
  expect(deltas.length).toBeGreaterThan(4);
  const { tokens } = driver.worstCase({
    model: "p/tiny",
    messages: [user("hello")],
    maxTokens: 24,
  });
  expect(reply.usage.outputTokens).toBeGreaterThan(4);
  expect(reply.usage.inputTokens + reply.usage.outputTokens).toBeLessThanOrEqual(tokens);
});

test("with a grammar it answers in the form that is asked for", async () => {
  const schema = {
    type: "object",
    properties: { ok: { type: "boolean" }, colour: { enum: ["red", "blue"] } },
    required: ["ok", "colour"],
    additionalProperties: false,
  };

  const reply = await here().ask({ output: { schema }, maxTokens: 200 });

  expect(await nextLine()).toBe("answered");
  expect(JSON.parse(reply.text)).toEqual({
    ok: expect.any(Boolean),
    colour: expect.stringMatching(/^(red|blue)$/),
  });
});

test("it calls the tool that it must, with arguments that fit", async () => {
  const input = {
    type: "object",
    properties: { path: { enum: ["/a", "/b"] }, deep: { type: "boolean" } },
    required: ["path", "deep"],
  };
  const tools = [{ name: "file.list", description: "Lists.", input }];

  const reply = await here().ask({ tools, toolChoice: "required", maxTokens: 200 });

  expect(await nextLine()).toBe("answered");
  expect(reply).toMatchObject({
    finish: "tool",
    toolCalls: [
      { tool: "file.list", args: { path: expect.any(String), deep: expect.any(Boolean) } },
    ],
  });
});

test("what is stopped stops it in the middle", async () => {
  const controller = new AbortController();
  const { ask } = here(() => controller.abort());

  await expect(ask({ maxTokens: 1900 }, controller.signal)).rejects.toMatchObject({
    code: "EINTR",
  });

  expect(await nextLine()).toBe("stopped");
});
