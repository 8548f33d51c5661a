// The official conformance suite for servers, in both revisions, against the daemon's own listener; and that
// what the suite wants to find there is found nowhere else.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { parseYaml } from "../../../daemon/src/yaml-file.ts";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { ROOT } from "../home.ts";
import { connect, eras, request, TASKS } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance");

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor({
    mcpConformance: true,
    http: { rate: { perSecond: 1e6, burst: 1e6 } },
  });
});
afterAll(async () => {
  await door.close();
  expect(door.mistakes).toEqual([]);
});

/** Not scored; the list may only become shorter. */
const leftOut: Record<string, string> = {
  ...Object.fromEntries(
    [
      "lifecycle",
      "capability-negotiation",
      "wire-fields",
      "request-state-removal",
      "mrtr-input",
      "request-headers",
      "dispatch-and-envelope",
      "required-task-error",
      "mrtr-composition",
    ].map((name) => [`tasks-${name}`, "needs tools that are tasks without being runs"]),
  ),
  "server-sse-polling": "streams are not gone on with: a run's pid is the way back to it",
  "http-custom-header-server-validation": "no tool of ours has arguments in headers",
};

interface Requirements {
  readonly server: readonly string[];
}

function failedIn(folder: string): { judged: string[]; failed: string[] } {
  const judged = new Set<string>();
  const failed = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== "checks.json") continue;
    const scenario = relative(folder, entry.parentPath)
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d\d-\d\dT[\w-]+$/, "");
    judged.add(scenario);
    const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
    const checks = JSON.parse(text) as { status: string }[];
    if (checks.some(({ status }) => ["FAILURE", "WARNING"].includes(status))) failed.add(scenario);
  }
  return { judged: [...judged], failed: [...failed] };
}

async function runSuite(revision: string, folder: string): Promise<void> {
  const suite = [join(SUITE, "dist/index.js"), "server", "--requirements", revision];
  const here = ["--url", `${door.url}/mcp`, "--timeout", "100000", "-o", folder];
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const child = spawn(process.execPath, [...suite, ...here], { cwd: folder, env, stdio: "ignore" });
  await new Promise((resolve) => child.once("close", resolve));
}

test.each(eras)("every scored scenario of %s passes", async (revision) => {
  const folder = mkdtempSync(join(tmpdir(), "aos-conformance-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(SUITE, "requirements", `${revision}.yaml`);
  const { server: scored } = parseYaml(readFileSync(file, "utf8"), file).written as Requirements;

  await runSuite(revision, folder);

  const { judged, failed } = failedIn(folder);
  expect(judged).toEqual(expect.arrayContaining([...scored]));
  expect(failed.filter((scenario) => scored.includes(scenario))).toEqual([]);
  const expected = judged.filter((scenario) => scenario in leftOut);
  expect(failed.sort()).toEqual(expected.sort());
});

test("somebody whom nobody knows meets the fixtures, and nothing that has any power", async () => {
  const pid = await door.spawn("listen");
  const capabilities = { extensions: { [TASKS]: {} } };
  const post = (method: string, params: Parameters<typeof request>[3]) =>
    request(door, undefined, method, params, { capabilities });

  const listed = await post("tools/list", {});
  const { tools } = listed.result as { tools: { name: string }[] };
  const names = tools.map(({ name }) => name);
  const called = await post("tools/call", {
    name: "submit_goal",
    arguments: { agent: "echo", goal: "" },
  });
  const read = await post("resources/read", { uri: `aos://runs/${pid}` });
  const task = await post("tasks/get", { taskId: pid });
  const resources = await post("resources/list", {});

  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !/^test_|^json_schema_2020_12_tool$/.test(name))).toEqual([]);
  expect(called.error?.code).toBe(-32_602);
  expect(read.error).toBeDefined();
  expect(task.error?.code).toBe(-32_601);
  expect(JSON.stringify(resources)).not.toContain("aos://");
  for (const path of ["/api/v1/processes", "/mcp/x", "/metrics"])
    expect((await door.ask("GET", path)).status).toBe(401);
  expect((await door.ask("POST", "/mcp", { token: "aost_wrong", body: {} })).status).toBe(401);
});

test("who is known has the fixtures beside the tools", async () => {
  const client = await connect(door, door.token("viewer"), "2026-07-28");

  const names = (await client.listTools()).tools.map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(["list_runs", "test_simple_text"]));
});

test("unless it was asked for there are no fixtures, and nobody whom nobody knows", async () => {
  const usual = await openFrontDoor();
  onTestFinished(() => usual.close());
  const client = await connect(usual, usual.token("operator"), "2025-11-25");

  const { tools } = await client.listTools();
  const { resources } = await client.listResources();

  expect(tools.filter(({ name }) => name.startsWith("test_"))).toEqual([]);
  expect(resources.filter(({ uri }) => uri.startsWith("test:"))).toEqual([]);
  await expect(client.callTool({ name: "test_simple_text" })).rejects.toThrow();
  await expect(client.readResource({ uri: "test://static-text" })).rejects.toThrow();
  expect(client.getServerCapabilities()).not.toHaveProperty("prompts");
  expect((await usual.ask("POST", "/mcp", { body: {} })).status).toBe(401);
});
