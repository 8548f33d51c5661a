// The official conformance suite for servers, in both revisions, against the daemon's own listener. That what
// the suite wants to find there is found nowhere else: mcp-fixtures.test.ts.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { parseYaml } from "@aos/daemon/parts";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { ROOT } from "../home.ts";
import { connect, eras } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

vi.mock("@modelcontextprotocol/server", async (original) =>
  (await import("./conformance/index.ts")).withFixtures(original),
);

const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance");

let door: FrontDoor;
let relay: Server;
beforeAll(async () => {
  door = await openFrontDoor({
    http: { rate: { perSecond: 1e6, burst: 1e6 } },
  });
  relay = relayAs(door.token("viewer"));
  await once(relay.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  relay.close();
  await door.close();
  expect(door.mistakes).toEqual([]);
});

/** The suite cannot say who calls: this says it for the suite, and changes nothing else. */
function relayAs(token: string): Server {
  return createServer((from, back) => {
    const headers = { ...from.headers, authorization: `Bearer ${token}` };
    const { method, url } = from;
    const there = request(new URL(url ?? "/", door.url), { method, headers }, (answer) => {
      back.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(back);
    });
    there.on("error", () => back.destroy());
    back.on("close", () => there.destroy());
    from.pipe(there);
  });
}

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
  const { port } = relay.address() as AddressInfo;
  const here = ["--url", `http://127.0.0.1:${port}/mcp`, "--timeout", "100000", "-o", folder];
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const child = spawn(process.execPath, [...suite, ...here], { cwd: folder, env, stdio: "ignore" });
  await new Promise((resolve) => child.once("close", resolve));
}

test.each(eras)("every scored scenario of %s passes", async (revision) => {
  const folder = mkdtempSync(join(tmpdir(), "aos-conformance-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const file = join(SUITE, "requirements", `${revision}.yaml`);
  const { server: scored } = parseYaml(readFileSync(file, "utf8"), file).written as Requirements;

  await runSuite(revision, folder);

  const { judged, failed } = failedIn(folder);
  expect(judged).toEqual(expect.arrayContaining([...scored]));
  expect(failed.filter((scenario) => scored.includes(scenario))).toEqual([]);
  const expected = judged.filter((scenario) => scenario in leftOut);
  expect(failed.sort()).toEqual(expected.sort());
});

test("somebody whom nobody knows meets nothing, with fixtures as without", async () => {
  for (const path of ["/mcp", "/mcp/x", "/api/v1/processes", "/metrics"])
    expect((await door.ask("GET", path)).status).toBe(401);
  expect((await door.ask("POST", "/mcp", { body: {} })).status).toBe(401);
  expect((await door.ask("POST", "/mcp", { token: "aost_wrong", body: {} })).status).toBe(401);
});

test("who is known has the fixtures beside the tools", async () => {
  const client = await connect(door, door.token("viewer"), "2026-07-28");

  const names = (await client.listTools()).tools.map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining(["list_runs", "test_simple_text"]));
});
