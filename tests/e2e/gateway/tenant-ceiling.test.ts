// The ceiling of a tenant at every door: with the token of an operator of one tenant, no manifest, tool call,
// OpenAI client, MCP client, fork or child reaches a file of the machine, an address, or a tool that the
// operator of the machine has not named.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, connect } from "../doors/mcp-caller.ts";
import { openFrontDoor, type FrontDoor, type Reach } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

const TREASURE = "the treasure of the vault";
const CAPABILITIES = [
  "tool:*:call",
  "file:/**:read,write,list,remove",
  "http:*/**:get,post",
  "http:127.0.0.1/**:get,post",
  "http:localhost/**:get,post",
  "shell:*:exec",
  "agent:*:spawn,wait",
];
const manifest = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "reach",
  program: "reach",
  tools: ["*"],
  capabilities: CAPABILITIES,
};

let door: FrontDoor;
/** Of the machine: a file with a secret, and a home with no .bashrc yet. */
let vault: string;
/** On the loopback; says how often it was asked. */
let server: Server;
let hits = 0;
let acme: string;
let owner: string;
beforeAll(async () => {
  door = await openFrontDoor();
  vault = realpathSync(mkdtempSync(join(tmpdir(), "aos-vault-")));
  writeFileSync(join(vault, "key"), TREASURE);
  server = createServer((_, answer) => {
    hits += 1;
    answer.end(TREASURE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  mkdirSync(door.gateway.home.agents, { recursive: true });
  writeFileSync(join(door.gateway.home.agents, "reach.yaml"), JSON.stringify(manifest));
  acme = door.token("operator", { tenant: "a", name: "alice" });
  owner = door.token("operator", { name: "olga" });
});
afterAll(async () => {
  server.close();
  await door.close();
  rmSync(vault, { recursive: true, force: true, maxRetries: 20 });
  expect(door.mistakes).toEqual([]);
});

const port = () => (server.address() as AddressInfo).port;

/** What nobody of a tenant may reach: by name, and made when the door is open. */
const reaches: readonly [name: string, reach: () => Reach][] = [
  ["read /etc/shadow", () => ({ tool: "file.read", args: { path: "/etc/shadow" } })],
  ["read a file of the machine", () => ({ tool: "file.read", args: { path: `${vault}/key` } })],
  [
    "read it by a way around",
    () => ({ tool: "file.read", args: { path: `/work/../..${vault}/key` } }),
  ],
  [
    "write ~/.bashrc",
    () => ({ tool: "file.write", args: { path: `${vault}/.bashrc`, text: "evil" } }),
  ],
  ["list a folder of the machine", () => ({ tool: "file.list", args: { path: vault } })],
  ...["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", "0x7f.0.0.1"].map(
    (host): [string, () => Reach] => [
      `fetch http://${host}`,
      () => ({ tool: "http.fetch", args: { url: `http://${host}:${port()}/` } }),
    ],
  ),
  [
    "fetch the address of metadata",
    () => ({ tool: "http.fetch", args: { url: "http://169.254.169.254/latest/" } }),
  ],
  [
    "open a page in a browser",
    () => ({ tool: "browser.navigate", args: { url: "https://example.com/" } }),
  ],
];

type Way = (token: string, reach: Reach) => Promise<string>;

/** The text of what a run came to. */
async function outputOf(pid: string): Promise<string> {
  const { output, error } = await door.kernel.wait(pid);
  return error === null ? JSON.stringify(output) : `${error.code} ${error.message}`;
}

const started = async (answer: Response): Promise<string> => {
  const text = await answer.text();
  const { pid } = JSON.parse(text) as { pid?: string };
  return pid === undefined ? text : outputOf(pid);
};

const file = (more: object = {}) => ({
  file: "agent.yaml",
  text: JSON.stringify({ ...manifest, ...more }),
});

const ways: Readonly<Record<string, Way>> = {
  "a manifest of its own": async (token, input) =>
    started(await door.call("spawn", { manifest: file(), input }, { token })),
  "what narrows an agent of the operator's": async (token, input) =>
    started(
      await door.call("spawn", { agent: "reach", capabilities: CAPABILITIES, input }, { token }),
    ),
  "a call of the tool": async (token, { tool, args }) =>
    started(await door.call("callTool", { name: tool, args }, { token })),
  "a call of the tool with power": async (token, { tool, args }) =>
    started(
      await door.call("callTool", { name: tool, args, capabilities: CAPABILITIES }, { token }),
    ),
  "a model of OpenAI's API": async (token, reach) => {
    const messages = [{ role: "user", content: JSON.stringify(reach) }];
    const body = { model: "reach", messages };
    return (await door.ask("POST", "/v1/chat/completions", { token, body })).text();
  },
  "a goal over MCP": async (token, reach) => {
    const client = await connect(door, token, "2026-07-28");
    const goal = JSON.stringify(reach);
    const args = { agent: "reach", goal, waitSeconds: 60 };
    return JSON.stringify(await call(client, "submit_goal", args));
  },
  "a fork and a retry": async (token, input) => {
    const first = await door.call("spawn", { manifest: file(), input }, { token });
    const { pid } = (await first.json()) as { pid: string };
    await door.kernel.wait(pid);
    const forked = await started(await door.call("fork", { pid, at: 0 }, { token }));
    const retried = await started(await door.call("retry", { pid }, { token }));
    return `${forked} ${retried}`;
  },
};

test("below no ceiling the same reaches the file: what follows is stopped by the ceiling", async () => {
  const reach = { tool: "file.read", args: { path: `${vault}/key` } };

  const byTool = await ways["a call of the tool"]!(owner, reach);
  const bySpawn = await ways["a manifest of its own"]!(owner, reach);

  expect(byTool).toContain(TREASURE);
  expect(bySpawn).toContain(TREASURE);
});

for (const [way, go] of Object.entries(ways))
  test.each(reaches)(`by ${way} a tenant cannot %s`, async (_name, reach) => {
    const before = hits;

    const told = await go(acme, reach());

    expect(told).toMatch(/EACCES|ENOENT|EINVAL|permission_error|not_found/);
    expect(told).not.toContain(TREASURE);
    expect(hits).toBe(before);
    expect(existsSync(join(vault, ".bashrc"))).toBe(false);
  });

test("a program that a tenant runs sees no file of the machine", async () => {
  const args = { command: `cat ${vault}/key /etc/shadow; cat ${door.gateway.home.database}` };

  const told = await ways["a call of the tool with power"]!(acme, { tool: "shell.execute", args });

  expect(told).not.toContain(TREASURE);
  expect(told).not.toMatch(/root:[*!$]/);
});

test("a command of a tenant's manifest is neither read from the machine nor shown its files", async () => {
  writeFileSync(join(vault, "program.sh"), "#!/bin/sh\ncat key >&2\n", { mode: 0o755 });
  const run = async (token: string, ...command: string[]) => {
    const foreign = { apiVersion: "aos/v1", kind: "Agent", name: "foreign", command };
    const given = {
      file: "a.yaml",
      text: JSON.stringify({ ...foreign, capabilities: CAPABILITIES }),
    };
    return started(await door.call("spawn", { manifest: given }, { token }));
  };

  const named = await run(acme, join(vault, "program.sh"));
  const shown = await run(acme, "sh", "-c", 'cat "$0" >&2; exit 3', join(vault, "key"));
  const free = await run(owner, "sh", "-c", 'cat "$0" >&2; exit 3', join(vault, "key"));

  expect(named).toMatch(/not covered by the ceiling of tenant a/);
  expect(shown).toMatch(/No such file/);
  expect(free).toContain(TREASURE);
});

test("events are of one's own tenant, whatever is asked for", async () => {
  const closing = new AbortController();
  const headers = { authorization: `Bearer ${acme}` };
  const all = await fetch(`${door.url}/api/v1/events`, { headers, signal: closing.signal });
  const other = await door.spawn("echo", "b");
  const own = await door.spawn("echo", "a");
  const reader = all.body!.getReader();
  let heard = "";
  while (!heard.includes(own)) heard += new TextDecoder().decode((await reader.read()).value);
  closing.abort();

  const byPid = await door.ask("GET", `/api/v1/events?pid=${other}`, { token: acme });
  const byTree = await door.ask("GET", `/api/v1/events?tree=${other}`, { token: acme });
  const past = await door.ask("GET", `/api/v1/processes/${other}/events`, { token: acme });

  expect(heard).not.toContain(other);
  expect([byPid.status, byTree.status, past.status]).toEqual([404, 404, 404]);
});

test("no operation that is about the machine is a tenant's, whatever its token's role", async () => {
  const asked: [Parameters<FrontDoor["call"]>[0], Record<string, unknown>][] = [
    ["setTenant", { name: "a", ceiling: "none" }],
    ["addTenant", { name: "c" }],
    ["removeTenant", { name: "b" }],
    ["trustFolder", { folder: "/tmp", digest: "x" }],
    ["lookAtFolder", { folder: "/tmp" }],
    ["trustedFolders", {}],
    ["config", {}],
    ["storeReport", {}],
    ["acceptStore", {}],
    ["verify", {}],
    ["ledger", {}],
    ["collect", {}],
    ["shutdown", {}],
    ["policy", {}],
    ["reloadPolicy", {}],
    ["mintToken", { capabilities: ["file:/**:read"] }],
    ["createAccessToken", { role: "operator", name: "x" }],
    ["accessTokens", {}],
    ["mcpServers", {}],
    ["addMcpServer", { name: "x", command: ["sh"] }],
    ["addProvider", { name: "x" }],
    ["runTests", { files: [] }],
    ["recordTest", { pid: "x" }],
    ["doctor", {}],
    ["queue", {}],
    ["checkSkill", { folder: "/tmp" }],
    ["draftSkill", { pid: "x" }],
    ["skillDrafts", {}],
    ["skillDraft", { name: "x" }],
    ["approveSkillDraft", { name: "x" }],
    ["rejectSkillDraft", { name: "x" }],
  ];

  for (const [name, args] of asked) {
    const answer = await door.call(name, args, { token: acme });
    expect([name, answer.status, await answer.text()]).toEqual([
      name,
      403,
      expect.stringMatching(/concerns every tenant/),
    ]);
  }
  expect((await door.kernel.tenants()).map(({ name }) => name)).toEqual(["default", "a", "b"]);
});
