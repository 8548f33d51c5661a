// What is tried at /mcp by those who may not: without a token, from another site's page, under another name,
// with another's session.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";
import { call, connect, envelope, request } from "./mcp-caller.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let olga: string;
let anna: string;
beforeAll(async () => {
  door = await openFrontDoor();
  olga = door.token("operator", { name: "olga" });
  anna = door.token("operator", { name: "anna" });
});
afterAll(async () => {
  await door.close();
  expect(door.mistakes).toEqual([]);
});

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const accept = { accept: "application/json, text/event-stream" };

const upgrade = (headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const asking = httpRequest(`${door.url}/mcp?cwd=/etc`, {
      headers: { connection: "upgrade", upgrade: "mcp-stdio", ...headers },
    });
    asking.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode!);
    });
    asking.once("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    asking.once("error", reject);
    asking.end();
  });

test.each(["GET", "POST", "DELETE"])(
  "%s without a token, or with none, is refused",
  async (way) => {
    const body = way === "POST" ? { body: initialize } : {};

    const without = await door.ask(way, "/mcp", { headers: accept, ...body });
    const wrong = await door.ask(way, "/mcp", { headers: accept, token: "aost_x", ...body });

    expect([without.status, wrong.status]).toEqual([401, 401]);
    expect(without.headers.get("www-authenticate")).toContain("Bearer");
  },
);

test("a connection is not upgraded without a token, nor to anything else", async () => {
  const authorization = `Bearer ${olga}`;

  expect(await upgrade({})).toBe(401);
  expect(await upgrade({ authorization: "Bearer aost_x" })).toBe(401);
  expect(await upgrade({ authorization, origin: "https://evil.example" })).toBe(403);
  expect(await upgrade({ authorization, host: "evil.example" })).toBe(421);
  expect(await upgrade({ authorization, upgrade: "websocket" })).toBe(400);
  expect(await upgrade({ authorization })).toBe(101);
});

test("over the network nobody is in a folder of this machine", async () => {
  const project = mkdtempSync(join(tmpdir(), "aos-mcp-project-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true, maxRetries: 20 }));
  mkdirSync(join(project, ".agents/agents"), { recursive: true });
  const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "local" };
  writeFileSync(join(project, ".agents/agents/local.yaml"), JSON.stringify(manifest));
  const line = await new Promise<Duplex>((resolve, reject) => {
    const asking = httpRequest(`${door.url}/mcp?cwd=${encodeURIComponent(project)}`, {
      headers: {
        connection: "upgrade",
        upgrade: "mcp-stdio",
        authorization: `Bearer ${olga}`,
      },
    });
    asking.once("upgrade", (_response, socket) => resolve(socket));
    asking.once("error", reject);
    asking.end();
  });
  onTestFinished(() => void line.destroy());
  const said: string[] = [];
  createInterface({ input: line }).on("line", (text) => said.push(text));

  const params = { name: "list_agents", arguments: {}, _meta: envelope() };
  line.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);

  await expect.poll(() => said, { timeout: 120_000 }).toHaveLength(1);
  expect(JSON.parse(said[0]!)).toMatchObject({ result: { structuredContent: { agents: [] } } });
});

test("a page of another site is refused, with a token too, and so is another name", async () => {
  const evil = { ...accept, origin: "https://evil.example" };

  const paged = await door.ask("POST", "/mcp", { token: olga, headers: evil, body: initialize });

  expect(paged.status).toBe(403);
});

test("a session is its caller's: to another its id is one that there is not", async () => {
  const client = await connect(door, olga, "2025-11-25");
  const session = (client.transport as { sessionId?: string }).sessionId!;
  const headers = { ...accept, "mcp-session-id": session };
  const list = { jsonrpc: "2.0", id: 5, method: "tools/list" };

  const stolen = await door.ask("POST", "/mcp", { token: anna, headers, body: list });
  const listened = await door.ask("GET", "/mcp", { token: anna, headers });
  const ended = await door.ask("DELETE", "/mcp", { token: anna, headers });
  const unreal = await door.ask("POST", "/mcp", {
    token: anna,
    headers: { ...accept, "mcp-session-id": "00000000-0000-4000-8000-000000000000" },
    body: list,
  });

  expect([stolen.status, listened.status, ended.status]).toEqual([404, 404, 404]);
  expect(await stolen.text()).toBe(await unreal.text());
  await call(client, "list_runs"); // It is there still.
});

test("who is told that a run changed is of its tenant, in both revisions", async () => {
  const bob = door.token("viewer", { tenant: "b" });
  const theirs = await door.spawn("note", "a");
  const mine = await door.spawn("note", "b");
  const uris = [theirs, mine].map((pid) => `aos://runs/${pid}`);
  const told: string[] = [];
  const client = await connect(door, bob, "2025-11-25");
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  for (const uri of uris) await client.subscribeResource({ uri });
  const listening = new AbortController();
  onTestFinished(() => listening.abort());
  const heard = await listen(bob, uris, listening.signal);

  await door.kernel.send(theirs, "stop");
  await door.kernel.wait(theirs);
  await door.kernel.send(mine, "stop");

  await expect.poll(() => told, { timeout: 120_000 }).toContain(uris[1]);
  await expect.poll(() => heard.text, { timeout: 120_000 }).toContain(`"uri":"${uris[1]}"`);
  expect(told).not.toContain(uris[0]);
  expect(heard.text).not.toContain(`"uri":"${uris[0]}"`);
});

test("a body that is no JSON is refused, and one that is too large is not read", async () => {
  const headers = {
    authorization: `Bearer ${olga}`,
    "content-type": "application/json",
    ...accept,
  };

  const odd = await fetch(`${door.url}/mcp`, { method: "POST", headers, body: "{" });
  const large = await fetch(`${door.url}/mcp`, {
    method: "POST",
    headers,
    body: JSON.stringify("x".repeat(17 * 1024 * 1024)),
  });

  expect([odd.status, large.status]).toEqual([400, 413]);
  const { result } = await request(door, olga, "tools/list", {});
  expect(result).toBeDefined();
});

async function listen(token: string, uris: string[], signal: AbortSignal) {
  const heard = { text: "" };
  const method = "subscriptions/listen";
  const response = await fetch(`${door.url}/mcp`, {
    method: "POST",
    signal,
    headers: {
      ...accept,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 9,
      method,
      params: {
        notifications: { resourceSubscriptions: uris },
        _meta: envelope(),
      },
    }),
  });
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  heard.text += decoder.decode((await reader.read()).value); // The acknowledgement names both.
  heard.text = "";
  const follow = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard.text += decoder.decode(value);
    }
  };
  follow().catch(() => {});
  return heard;
}
