// A project's server runs in the view of the process that calls it: its masks, its copy, its network.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestHome, type TestHome } from "../e2e/home.ts";
import { folderForTest } from "./rig.ts";

let home: TestHome;
beforeAll(() => {
  home = createTestHome();
  return () => home.remove();
});

/** One tool: runs a line of shell where the server is. */
const SERVER = `
import { createInterface } from "node:readline";
import { execSync } from "node:child_process";
const run = (line) => { try { return execSync(line, { encoding: "utf8", stdio: "pipe" }); } catch (error) { return "failed: " + error.stderr + error.message; } };
const tools = [{ name: "run", inputSchema: { type: "object", properties: { line: { type: "string" } } } }];
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": (given) => ({ content: [{ type: "text", text: run(given.arguments.line) }] }),
};
for await (const text of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) continue;
  const answer = methods[method];
  const body = answer === undefined ? { error: { code: -32601, message: "no" } } : { result: answer(params ?? {}) };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
}
`;

async function trusted(declared: string): Promise<string> {
  const project = folderForTest();
  mkdirSync(join(project, ".agents"));
  writeFileSync(join(project, "server.mjs"), SERVER);
  writeFileSync(join(project, ".env"), "KEY=hunter2");
  writeFileSync(join(project, "a.txt"), "of the project");
  const file = `servers:\n  s: { command: [node, server.mjs], ${declared} }\n`;
  writeFileSync(join(project, ".agents/mcp.yaml"), file);
  await home.aosWith({ cwd: project }, "trust", "--yes");
  return project;
}

const call = (project: string, line: string, ...more: string[]) =>
  home.aosWith({ cwd: project }, "tool", "call", "mcp.s.run", JSON.stringify({ line }), ...more);

test("with --cow it writes to the copy, and the project stays as it is; .env is not there", async () => {
  const project = await trusted('paths: [".:rw"]');

  const ran = await call(
    project,
    "echo changed > a.txt; cat a.txt .env; pwd",
    "--dir",
    project,
    "--cow",
  );

  expect(ran.stdout).toContain("changed");
  expect(ran.stdout).not.toContain("hunter2");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("of the project");
});

test("in the folder itself .env looks empty, and no file with power is written", async () => {
  const project = await trusted('paths: [".:rw"]');

  const ran = await call(project, "cat .env; echo changed > a.txt", "--dir", project);
  const planted = await call(
    project,
    "echo x >> .agents/mcp.yaml; mkdir -p sub/.agents; echo x > sub/.agents/mcp.yaml",
    "--dir",
    project,
  );

  expect(ran.stdout).not.toContain("hunter2");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("changed\n");
  expect(planted.stderr + planted.stdout).toMatch(/sub\/\.agents was moved to quarantine/);
  expect(readFileSync(join(project, ".agents/mcp.yaml"), "utf8")).not.toMatch(/^x/m);
});

test("a process that does not hold the folder does not call it", async () => {
  const project = await trusted('paths: ["."]');

  const ran = await call(project, "cat a.txt", "--cap", "shell:x:exec");

  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/file/);
  expect(ran.stdout).not.toContain("of the project");
});

test("a host that the file declares is reached only by a process that may reach it itself", async () => {
  let requests = 0;
  const site = createServer((_request, response) => {
    requests += 1;
    response.end("reached");
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void site.close());
  const { port } = site.address() as { port: number };
  const project = await trusted(`hosts: ["localhost:${port}"]`);
  const line = `curl -s -m 5 http://localhost:${port}/`;

  const ran = await call(project, line, "--cap", "tool:mcp.s.run:call");

  expect(ran.stdout).not.toContain("reached");
  expect(requests).toBe(0);
});

test("its program is what was trusted, whatever is written to the file afterwards", async () => {
  const project = await trusted('paths: ["."]');
  await call(project, "true", "--dir", project, "--cow");
  writeFileSync(join(project, "server.mjs"), SERVER.replace("run(given", '"evil" + run(given'));

  const ran = await call(project, "echo hi", "--dir", project, "--cow");

  expect(ran.stdout).not.toContain("evil");
  expect(ran.stderr).toMatch(/unknown tool mcp\.s\.run/);
});
