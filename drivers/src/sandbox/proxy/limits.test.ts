import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { stat } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { METHODS } from "./whole-grants.ts";
import {
  allOf,
  proxyForTest,
  proxyRequestText,
  secured,
  worldAuthority,
} from "../../../../tests/helpers/drivers/proxy.ts";
import { ProxyLog } from "./proxy-log.ts";

const granted = () => [{ pattern: "a.example/**", verbs: METHODS }];
const silent: RequestListener = () => {};
const long: RequestListener = (_, response) => void response.end("x".repeat(100_000));

test("the body of a request, whether its length is said or not", async () => {
  await using web = await proxyForTest({ limits: { requestBytes: 10 } });
  const said = proxyRequestText("POST", "http://a.example/", "Content-Length: 11");
  const unsaid = proxyRequestText("POST", "http://a.example/", "Transfer-Encoding: chunked");

  expect(await web.ask(said)).toMatch(/^HTTP\/1\.1 400 [^]*more than 10 bytes/);
  expect(web.dialled).toEqual([]);
  const chunks = await web.ask(`${unsaid}6\r\nxxxxxx\r\n5\r\nxxxxx\r\n0\r\n\r\n`);

  expect(chunks).toMatch(/^HTTP\/1\.1 400 [^]*more than 10 bytes/);
  expect(web.seen).toEqual([]);
});

test("the body of an answer, where its length is said", async () => {
  await using web = await proxyForTest({
    sites: { "a.example": long },
    limits: { responseBytes: 50_000 },
  });

  const answer = await web.get("http://a.example/");

  expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*more than 50000 bytes/);
  expect(web.proxy.visits()).toMatchObject([{ status: 502, count: 1 }]);
});

test("the body of an answer in chunks: it is cut off, and seen to be", async () => {
  const chunks: RequestListener = (_, response) => {
    response.write("x".repeat(40_000));
    setTimeout(() => response.end("x".repeat(60_000)), 50);
  };
  await using web = await proxyForTest({
    sites: { "a.example": chunks },
    limits: { responseBytes: 50_000 },
  });

  const answer = await web.get("http://a.example/");

  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer.length).toBeLessThan(60_000);
  expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
});

describe("a tunnel that is passed on has limits", () => {
  test.each([
    [
      "what it sends",
      { requestBytes: 5000 },
      `POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 9000\r\n\r\n${"x".repeat(9000)}`,
    ],
    ["what comes back", { responseBytes: 50_000 }, "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"],
  ])("%s", async (_what, limits, text) => {
    const context = deviceContextForTest({ granted });
    await using web = await proxyForTest({ context, limits, sites: { "a.example": long } });
    const secure = await secured(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca: worldAuthority,
    });

    secure.write(text);
    const answer = await allOf(secure);

    expect(answer.length).toBeLessThan(60_000);
    expect(web.proxy.refusals).toBe(1);
  });
});

test("requests in progress at once are limited, also in one connection", async () => {
  await using web = await proxyForTest({
    sites: { "a.example": silent },
    limits: { connections: 2 },
  });
  const keep = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n";
  const socket = await web.connect();

  socket.write(keep.repeat(3));
  while (web.proxy.refusals === 0) await new Promise((resolve) => setTimeout(resolve, 5));

  expect(web.proxy.visits()).toEqual([{ host: "", verb: "get", status: 429, count: 1 }]);
  socket.destroy();
});

test("what is over makes room", async () => {
  await using web = await proxyForTest({ limits: { connections: 1 } });

  for (let n = 0; n < 5; n++) {
    expect(await web.get("http://a.example/")).toContain("200 OK");
    expect(await web.get("http://nowhere.example/")).toContain("502");
    ((await web.tunnel("a.example:443")) as Socket).destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("connections at once are limited", async () => {
  await using web = await proxyForTest({ limits: { connections: 2 } });
  const [first, second] = [await web.connect(), await web.connect()];

  const third = await web.connect();

  await once(third, "close");
  expect([first.destroyed, second.destroyed]).toEqual([false, false]);
  first.destroy();
  second.destroy();
});

describe("idle", () => {
  const limits = { idleMs: 200 };

  test("a connection without a request ends", async () => {
    await using web = await proxyForTest({ limits });
    const socket = await web.connect();

    await allOf(socket);
  });

  test("a host that says nothing is given up", async () => {
    await using web = await proxyForTest({ limits, sites: { "a.example": silent } });

    expect(await web.get("http://a.example/")).toMatch(/^HTTP\/1\.1 504 [^]*does not answer/);
  });

  test.each([
    ["that is passed on", deviceContextForTest({ granted })],
    ["that is opened", deviceContextForTest()],
  ])("a tunnel %s ends", async (_what, context) => {
    await using web = await proxyForTest({ context, limits });
    const ca = [worldAuthority, web.proxy.authorities];
    const secure = await secured(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca,
    });

    await allOf(secure);
  });

  test("a tunnel in which nothing is said ends", async () => {
    await using web = await proxyForTest({ limits });

    await allOf((await web.tunnel("a.example:443")) as Socket);
  });
});

test("PROXY-4: nothing is left when it is closed, however often", async () => {
  const context = deviceContextForTest({ granted });
  await using web = await proxyForTest({
    context,
    sites: { "a.example": silent, "b.example": silent },
  });
  const ca = [worldAuthority, web.proxy.authorities];
  const passed = await secured(await web.tunnel("a.example:443"), { servername: "a.example", ca });
  const opened = await secured(await web.tunnel("b.example:443"), { servername: "b.example", ca });
  const plain = await web.connect();
  opened.write("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n");
  plain.write(proxyRequestText("GET", "http://a.example/"));
  const ended = [passed, opened, plain].map((one) => allOf(one));
  while (web.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));

  await Promise.all([web.proxy.close(), web.proxy.close()]);

  expect(web.connections.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  await Promise.all(ended);
  await expect(stat(web.proxy.socket)).rejects.toMatchObject({ code: "ENOENT" });
});

test("24 KB of headers go on, and it is the host that finds them too many", async () => {
  await using web = await proxyForTest();
  const headers = ["A", "B", "C"].map((name) => `${name}: ${"x".repeat(8000)}`);

  expect(await web.get("http://a.example/", ...headers)).toContain("431");
});

test("a path that no socket can have is refused", async () => {
  const folder = `/tmp/${"x".repeat(100)}`;

  await expect(proxyForTest({ folder })).rejects.toMatchObject({ code: "EINVAL" });
});

test("visits are counted, and what is too various is put together", () => {
  const visits = new ProxyLog();

  for (let n = 0; n < 1000; n++) visits.note(`${n}.example`, "get", 200);
  visits.note("0.example", "get", 200);

  expect(visits.list()).toHaveLength(201);
  expect(visits.list()[0]).toMatchObject({ host: "0.example", count: 2 });
  expect(visits.list().at(-1)).toMatchObject({ host: "others", count: 800 });
});
