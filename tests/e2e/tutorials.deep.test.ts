// What the tutorials say to type works in an empty folder, and prints what they say.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestHome, ROOT, type TestHome } from "./home.ts";
import { stepsOf, typeOut } from "./page-commands.ts";

let home: TestHome;
let cwd: string;
let server: Server;

beforeEach(async () => {
  home = createTestHome({ AOS_HTTP: "off" });
  cwd = mkdtempSync(join(tmpdir(), "aos-tutorial-"));
  server = modelServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
});
afterEach(async () => {
  await home.remove();
  rmSync(cwd, { recursive: true, force: true, maxRetries: 20 });
  await new Promise((resolve) => server.close(resolve));
});

test.each(["agent", "tool", "model", "production"])("docs/tutorial-%s.md", async (name) => {
  const page = join(ROOT, "docs", `tutorial-${name}.md`);
  const { port } = server.address() as AddressInfo;

  expect(stepsOf(page).flatMap(({ commands }) => commands).length).toBeGreaterThan(4);
  await typeOut(page, home, { cwd, replace: [["127.0.0.1:8080", `127.0.0.1:${port}`]] });
});

/** A server of a reader: OpenAI's Chat Completions, with one answer. */
const modelServer = (): Server =>
  createServer((request, response) => {
    request.resume();
    if (request.url?.endsWith("/models") === true) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "qwen3", object: "model" }] }));
      return;
    }
    const chunk = (choice: object, more: object = {}) =>
      `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "qwen3", choices: [{ index: 0, ...choice }], ...more })}\n\n`;
    response.setHeader("content-type", "text/event-stream");
    response.write(chunk({ delta: { role: "assistant", content: "Good morning!" } }));
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    response.end(`${chunk({ delta: {}, finish_reason: "stop" }, { usage })}data: [DONE]\n\n`);
  });
