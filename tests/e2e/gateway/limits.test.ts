// What the gateway holds everybody to: sessions at their origin, the size and the number of values of a body,
// streams of one caller, and who may say yes over MCP.

import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { call, connect, eras, textOf } from "../doors/mcp-caller.ts";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

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
    expect(await refused.text()).toMatch(/event streams open/);
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

test.each(eras)("%s: approve is not there unless it is allowed; deny is", async (era) => {
  const anna = await connect(door, door.token("operator", { name: "anna" }), era);
  const pid = await door.spawn("ask");
  await vi.waitFor(async () => expect(await door.kernel.questions()).toHaveLength(1), 60_000);
  const { id } = (await door.kernel.questions())[0]!;

  const names = (await anna.listTools()).tools.map(({ name }) => name);
  const approving = call(anna, "approve", { id });

  expect(names).toContain("deny");
  expect(names).not.toContain("approve");
  await expect(approving).rejects.toThrow(/there is no tool/);
  expect(await door.kernel.questions()).toHaveLength(1);
  expect(textOf(await call(anna, "deny", { id }))).toMatch(/"settled": true/);
  expect((await door.kernel.wait(pid)).output).toBe("no");
});
