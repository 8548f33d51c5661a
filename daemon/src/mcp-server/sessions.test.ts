import { Server } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { McpSessions } from "./sessions.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] }));
afterEach(() => void vi.useRealTimers());

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
const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait" } };
const ping = { jsonrpc: "2.0", id: 3, method: "ping" };

function callerForTest(id = "olga") {
  const gone = new AbortController();
  return { id, gone: gone.signal, go: () => gone.abort() };
}
type TestCaller = ReturnType<typeof callerForTest>;

/** A server whose one tool answers when it is told to. */
function rig(limits: { idleMs?: number; perCaller?: number } = {}) {
  const sessions = new McpSessions(limits);
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const create = () => {
    const server = new Server({ name: "t", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", async () => {
      await told;
      return { content: [] };
    });
    return server;
  };
  const ask = (caller: TestCaller, body: object, session?: string): Promise<Response> => {
    const headers = new Headers({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    });
    if (session !== undefined) headers.set("mcp-session-id", session);
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    return sessions.serve(request, body, caller, create);
  };
  const begin = async (caller: TestCaller): Promise<string> => {
    const response = await ask(caller, initialize);
    await response.text();
    return response.headers.get("mcp-session-id")!;
  };
  return { sessions, ask, begin, tell };
}

test("MCP-SERVER-SESSIONS-1: a session is there for its caller, and for nobody else", async () => {
  const { ask, begin } = rig();
  const [olga, anna] = [callerForTest("olga"), callerForTest("anna")];
  const session = await begin(olga);

  expect((await ask(olga, ping, session)).status).toBe(200);
  expect((await ask(anna, ping, session)).status).toBe(404);
  expect((await ask(olga, ping)).status).toBe(400);
});

test("MCP-SERVER-SESSIONS-2: one that nobody uses ends; one with a call under way does not", async () => {
  const { sessions, ask, begin, tell } = rig({ idleMs: 1000 });
  const olga = callerForTest();
  const [idle, busy] = [await begin(olga), await begin(olga)];
  const waiting = await ask(olga, call, busy);

  await vi.advanceTimersByTimeAsync(120_000);

  expect(sessions.size).toBe(1);
  expect((await ask(olga, ping, idle)).status).toBe(404);
  tell();
  expect(await waiting.text()).toContain('"content":[]');
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sessions.size).toBe(0);
});

test("MCP-SERVER-SESSIONS-2: a caller who is nobody any more has no session any more", async () => {
  const { sessions, begin } = rig();
  const olga = callerForTest();
  await begin(olga);

  olga.go();

  expect(sessions.size).toBe(0);
});

test("MCP-SERVER-SESSIONS-2: when all ends, a call that is under way is answered first", async () => {
  const { sessions, ask, begin, tell } = rig();
  const olga = callerForTest();
  const waiting = await ask(olga, call, await begin(olga));
  const text = waiting.text();

  const closed = sessions.closeAll();
  tell();

  expect(await text).toContain('"content":[]');
  await closed;
  expect(sessions.size).toBe(0);
});

test("MCP-SERVER-SESSIONS-3: the one that was unused the longest makes room; where all are in use, nobody does", async () => {
  const { sessions, ask, begin, tell } = rig({ perCaller: 2 });
  const olga = callerForTest();
  const first = await begin(olga);
  await vi.advanceTimersByTimeAsync(10);
  const second = await begin(olga);
  await vi.advanceTimersByTimeAsync(10);
  const third = await begin(olga);

  expect((await ask(olga, ping, first)).status).toBe(404);
  const waiting = [await ask(olga, call, second), await ask(olga, call, third)];
  expect((await ask(olga, initialize)).status).toBe(429);
  expect((await ask(callerForTest("anna"), initialize)).status).toBe(200);
  tell();
  await Promise.all(waiting.map((response) => response.text()));
  expect((await ask(olga, initialize)).status).toBe(200);
  expect(sessions.size).toBe(3);
});
