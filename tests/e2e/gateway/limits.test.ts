// What the gateway holds everybody to: sessions at their origin, the size and the number of values of a body,
// and streams of one caller.

import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { envelope } from "../doors/mcp-caller.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";
import { rawRequest } from "./raw.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

const STREAMS = 3;
const statusAt = "/api/v1/status";
const sessionAt = "/api/v1/session";

let door: FrontDoor;
let operator: string;
beforeAll(async () => {
  door = await openFrontDoor({ http: { hosts: ["aos.example"], streams: STREAMS } });
  operator = door.token("operator", { name: "op" });
  // An agent that is a model to clients of OpenAI's API, and waits for a message.
  mkdirSync(door.gateway.home.agents, { recursive: true });
  writeFileSync(
    join(door.gateway.home.agents, "listen.yaml"),
    "apiVersion: aos/v1\nkind: Agent\nname: listen\nprogram: listen\ncapabilities: [message:*:receive]\n",
  );
});
afterAll(async () => {
  await door.close();
  expect(door.mistakes).toEqual([]);
});

/** With a Host of one's own, which `fetch` does not send. */
function askAt(host: string, cookie: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { host, cookie };
  const options = { port: door.port, host: "127.0.0.1", path: statusAt, headers };
  request({ ...options, agent: new Agent() }, (answer) => {
    answer.resume();
    resolve(answer.statusCode!);
  })
    .on("error", reject)
    .end();
  return promise;
}

async function logIn(): Promise<{ cookie: string; secret: string }> {
  const login = await door.ask("POST", sessionAt, { body: { token: operator } });
  const cookie = login.headers.get("set-cookie")!.split(";", 1)[0]!;
  return { cookie, secret: cookie.slice(cookie.indexOf("=") + 1) };
}

test("a session's cookie is called by its port", async () => {
  const { cookie } = await logIn();

  expect(cookie).toMatch(new RegExp(`^aos_session_${door.port}=`));
});

test("with TLS the cookie's name begins with __Host-, and another name is none", async () => {
  const tls = { cert: "unused", key: "unused" }; // whoever listens has them; here the app is asked
  const secure = await openFrontDoor({ http: { tls } });
  onTestFinished(() => secure.close());
  const token = secure.token("viewer");
  const login = await secure.ask("POST", sessionAt, { body: { token } });
  const [cookie, ...attributes] = login.headers.get("set-cookie")!.split("; ");
  const secret = cookie!.slice(cookie!.indexOf("=") + 1);
  const ask = (given: string) => secure.ask("GET", statusAt, { headers: { cookie: given } });

  expect(cookie).toMatch(new RegExp(`^__Host-aos_session_${secure.port}=`));
  expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure"]));
  expect(attributes.join()).not.toMatch(/domain/i);
  expect((await ask(cookie!)).status).toBe(200);
  expect((await ask(`aos_session_${secure.port}=${secret}`)).status).toBe(401);
});

test("a session counts at its origin: not at another host or port, and not as a token", async () => {
  const { cookie, secret } = await logIn();
  const { port } = door;

  expect(await askAt(`127.0.0.1:${port}`, cookie)).toBe(200);
  expect(await askAt(`localhost:${port}`, cookie)).toBe(401);
  expect(await askAt(`aos.example:${port}`, cookie)).toBe(401);
  expect(await askAt("127.0.0.1:1", `aos_session_1=${secret}`)).toBe(401);
  expect((await door.ask("GET", statusAt, { token: secret })).status).toBe(401);
});

test("who has not logged in sends little", async () => {
  const body = { token: "x".repeat(17_000) };
  const chunked = new Blob([JSON.stringify(body)]).stream();
  const headers = { "content-type": "application/json" };

  const announced = await door.ask("POST", sessionAt, { body });
  const streamed = await fetch(door.url + sessionAt, {
    method: "POST",
    headers,
    body: chunked,
    duplex: "half",
  } as RequestInit);

  expect(announced.status).toBe(413);
  expect(streamed.status).toBe(413);
});

test.each([
  ["/api/v1/processes", "processes"],
  ["/v1/chat/completions", "chat"],
  ["/mcp", "mcp"],
])("a body of very many keys is refused before it is parsed: %s", async (path) => {
  const keys = Array.from({ length: 100_001 }, (_, n) => [`k${n}`, 1]);

  const answer = await door.ask("POST", path, { token: operator, body: Object.fromEntries(keys) });

  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/more than 100000 values/);
});

test("a refusal names some of the unknown fields, not all", async () => {
  const keys = Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 1]);

  const body = Object.fromEntries(keys) as object;
  const answer = await door.ask("POST", "/api/v1/processes", { token: operator, body });

  expect(answer.status).toBe(400);
  const text = await answer.text();
  expect(text).toMatch(/and 49980 more/);
  expect(text.length).toBeLessThan(5000);
});

test("a caller has so many streams open, of all kinds together; a closed one makes room", async () => {
  const token = door.token("viewer", { name: "watcher" });
  const pid = await door.spawn("listen");
  const closings: AbortController[] = [];
  const open = (path: string, who = token) => {
    const closing = new AbortController();
    closings.push(closing);
    const headers = { authorization: `Bearer ${who}` };
    return fetch(door.url + path, { headers, signal: closing.signal });
  };
  const paths = ["/api/v1/events", `/api/v1/processes/${pid}/events`];
  for (const path of [...paths, `/api/v1/processes/${pid}/attach`])
    expect((await open(path)).status).toBe(200);

  for (const path of [...paths, `/api/v1/processes/${pid}/attach`]) {
    const refused = await open(path);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toMatch(/open event streams/);
  }
  const socket = new WebSocket(`${door.url.replace("http", "ws")}/api/v1/processes/${pid}/attach`, {
    headers: { authorization: `Bearer ${token}` },
  } as never);
  await new Promise((resolve) => socket.addEventListener("error", resolve));
  expect((await open("/api/v1/events", door.token("viewer"))).status).toBe(200);

  closings[2]!.abort();
  await vi.waitFor(async () => expect((await open(paths[0]!)).status).toBe(200), 60_000);
  for (const closing of closings) closing.abort();
});

test("streams below /v1 are event streams of their caller: one too many starts nothing", async () => {
  const token = door.token("operator", { name: "chatter" });
  const closings: AbortController[] = [];
  const chat = (path: string) => {
    const closing = new AbortController();
    closings.push(closing);
    const asked = path.endsWith("responses")
      ? { model: "listen", input: "x", stream: true }
      : { model: "listen", messages: [{ role: "user", content: "x" }], stream: true };
    return fetch(door.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(asked),
      signal: closing.signal,
    });
  };
  const paths = ["/v1/chat/completions", "/v1/responses"];
  for (let n = 0; n < STREAMS; n++) expect((await chat(paths[n % 2]!)).status).toBe(200);
  const before = (await door.kernel.list()).length;

  for (const path of paths) {
    const refused = await chat(path);
    expect(refused.status).toBe(429);
    expect(await refused.text()).toMatch(/open event streams/);
  }
  const events = await door.ask("GET", "/api/v1/events", { token });

  expect(events.status).toBe(429);
  expect((await door.kernel.list()).length).toBe(before);
  closings[0]!.abort();
  await vi.waitFor(async () => expect((await chat(paths[0]!)).status).toBe(200), 60_000);
  for (const closing of closings) closing.abort();
});

test("what is open at /mcp is an event stream of its caller: calls, streams and connections", async () => {
  const token = door.token("operator", { name: "mcp" });
  const closings: AbortController[] = [];
  const post = (method: string, params: object) => {
    const closing = new AbortController();
    closings.push(closing);
    return fetch(`${door.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: { ...params, _meta: envelope() },
      }),
      signal: closing.signal,
    });
  };
  const notifications = { resourceSubscriptions: ["aos://runs/x"] };
  const listen = () => post("subscriptions/listen", { notifications });
  const upgrade = () =>
    rawRequest(
      door.port,
      `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nAuthorization: Bearer ${token}\r\n` +
        "Connection: Upgrade\r\nUpgrade: mcp-stdio\r\n\r\n",
    );
  for (let n = 0; n < STREAMS; n++) {
    const opened = await listen();
    expect(opened.headers.get("content-type")).toMatch(/event-stream/);
  }

  const listing = await post("tools/list", {});
  const events = await door.ask("GET", "/api/v1/events", { token });

  expect(listing.status).toBe(429);
  expect(events.status).toBe(429);
  expect(await upgrade()).toMatch(/^HTTP\/1\.1 429/);
  closings[0]!.abort();
  await vi.waitFor(async () => expect((await listen()).status).toBe(200), 60_000);
  for (const closing of closings) closing.abort();
});

test("who starts a process is told to the kernel, by whichever way it is started", async () => {
  const token = door.token("operator", { name: "starter", tenant: "a" });
  const id = door.tokens.callerOf(token)!.id;
  const spawned = vi.spyOn(door.gateway.kernel, "spawn");
  onTestFinished(() => spawned.mockRestore());
  const text = "apiVersion: aos/v1\nkind: Agent\nname: ask\nprogram: ask\n";
  const body = { model: "listen", messages: [{ role: "user", content: "x" }], stream: true };

  await door.call("spawn", { manifest: { file: "ask.yaml", text } }, { token });
  await door.call("callTool", { name: "echo", args: { text: "x" } }, { token });
  await door.call("searchMemory", { query: "x" }, { token });
  const stream = await door.ask("POST", "/v1/chat/completions", { token, body });
  await stream.body?.cancel();

  expect(spawned.mock.calls.map(([{ by }]) => by)).toEqual([id, id, id, id]);
});
