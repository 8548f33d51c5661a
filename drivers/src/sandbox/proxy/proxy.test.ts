import { once } from "node:events";
import { stat } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { type Touch } from "@aos/protocol";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import {
  allOf,
  echoListener,
  proxyForTest,
  proxyRequestText,
} from "../../../../tests/helpers/drivers/proxy.ts";

const granting = (...beginnings: string[]) =>
  deviceContextForTest({
    grants: ({ resource, verb }: Touch) =>
      beginnings.some((one) => `${resource} ${verb}`.startsWith(one)),
  });

test("a request goes to the checked address, and the answer comes back", async () => {
  const context = deviceContextForTest();
  await using web = await proxyForTest({ context });

  const answer = await web.get("http://a.example/v1?q=1", "X-Mine: 1");

  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain("GET /v1?q=1 at a.example");
  expect(context.asked).toEqual([{ kind: "http", resource: "a.example:80/v1", verb: "get" }]);
  expect(web.dialled).toEqual(["93.184.216.1:80"]);
  expect(web.seen[0]!.headers).toEqual({ host: "a.example", connection: "close", "x-mine": "1" });
  expect(web.proxy.visits()).toEqual([{ host: "a.example", verb: "get", status: 200, count: 1 }]);
  expect(web.proxy.refusals).toBe(0);
});

describe("REQUEST-HEAD-5: an encoded slash", () => {
  test("is asked about as a slash and as a character, and sent as it is written", async () => {
    const context = deviceContextForTest();
    await using web = await proxyForTest({ context });

    await web.get("http://a.example/@scope%2Fname?q=%2F");

    expect(web.seen[0]!.url).toBe("/@scope%2fname?q=%2F");
    expect(context.asked.map(({ resource }) => resource)).toEqual([
      "a.example:80/@scope/name",
      "a.example:80/@scope%252fname",
    ]);
  });

  test.each(["a.example:80/@scope/name", "a.example:80/@scope%252fname"])(
    "is refused where only %s is granted",
    async (only) => {
      await using web = await proxyForTest({ context: granting(only) });

      expect(await web.get("http://a.example/@scope%2fname")).toMatch(/^HTTP\/1\.1 403 /);
      expect(web.dialled).toEqual([]);
    },
  );
});

test("a body goes along, by its length and in chunks", async () => {
  await using web = await proxyForTest();

  const sized = `${proxyRequestText("POST", "http://a.example/", "Content-Length: 5")}hello`;
  const chunked = `${proxyRequestText("PUT", "http://a.example/", "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`;

  expect(await web.ask(sized)).toContain("POST /");
  expect(await web.ask(chunked)).toContain("PUT /");
  expect(web.seen.map(({ body }) => body)).toEqual(["hello", "hello"]);
  expect(web.seen[0]!.headers["content-length"]).toBe("5");
  expect(web.seen[1]!.headers["transfer-encoding"]).toBe("chunked");
});

test("a connection takes one request after the other, each asked about", async () => {
  const context = granting("a.example:80/1", "a.example:80/3");
  await using web = await proxyForTest({ context });
  const keep = (path: string) => `GET http://a.example${path} HTTP/1.1\r\nHost: a.example\r\n\r\n`;
  const socket = await web.connect();

  socket.write(keep("/1") + keep("/2") + keep("/3"));
  const all = await allOf(socket);

  expect(all).toContain("GET /1 at");
  expect(all).toContain("no capability for get on a.example:80/2");
  expect(web.seen.map(({ url }) => url)).not.toContain("/2");
});

test("only the answer's own headers come back", async () => {
  const site: RequestListener = (_, response) => {
    response.setHeader("Proxy-Authenticate", "Basic");
    response.setHeader("Keep-Alive", "timeout=99");
    response.setHeader("Set-Cookie", ["a=1", "b=2"]);
    response.end("x");
  };
  await using web = await proxyForTest({ sites: { "a.example": site } });

  const answer = await web.get("http://a.example/");

  expect(answer).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/i);
  expect(answer).not.toMatch(/proxy-authenticate|timeout=99/i);
});

test("headers of the connection stay here, also those that the program names", async () => {
  await using web = await proxyForTest();

  await web.ask(
    "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n" +
      "Proxy-Authorization: Basic eA==\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Kept: 1\r\n\r\n",
  );

  expect(web.seen[0]!.headers).toEqual({ host: "a.example", connection: "close", "x-kept": "1" });
});

describe("a request is refused, with the reason as text, and nothing is sent, for", () => {
  const cases: [what: string, url: string, method?: string][] = [
    ["another host", "http://b.example/v1/x"],
    ["another path", "http://a.example/v2/x"],
    ["another method", "http://a.example/v1/x", "DELETE"],
    ["another port", "http://a.example:8080/v1/x"],
  ];
  test.each(cases)("%s", async (_what, url, method = "GET") => {
    const context = granting("a.example:80/v1/x get");
    await using web = await proxyForTest({
      context,
      sites: { "a.example": echoListener, "b.example": echoListener },
    });

    const answer = await web.ask(proxyRequestText(method, url));

    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toMatch(
      /Agent OS: EACCES: no capability for (get|delete) on [ab]\.example:\d+\//,
    );
    expect([web.dialled, web.lookedUp, web.seen]).toEqual([[], [], []]);
    expect(web.proxy.refusals).toBe(1);
    expect(web.proxy.visits()).toMatchObject([{ status: 403, count: 1 }]);
  });

  test.each(["TRACE", "PROPFIND", "PURGE"])("the method %s is refused", async (method) => {
    await using web = await proxyForTest();

    expect(await web.ask(proxyRequestText(method, "http://a.example/"))).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(web.dialled).toEqual([]);
  });

  const metadata = [
    "169.254.169.254",
    "[::ffff:a9fe:a9fe]",
    "[fd00:ec2::254]",
    "[::1]",
    "127.0.0.1",
  ];
  test.each([...metadata, "0.0.0.0", "10.0.0.1"])(
    "the address %s, unless it is granted",
    async (host) => {
      const context = granting("a.example:80/");
      await using web = await proxyForTest({ context });

      expect(await web.get(`http://${host}/latest/`)).toMatch(/^HTTP\/1\.1 403 /);
      expect(web.dialled).toEqual([]);
    },
  );

  test.each(["169.254.169.254", "127.0.0.1", "10.1.2.3", "::1", "::ffff:127.0.0.1"])(
    "a name that leads to %s",
    async (address) => {
      const context = granting("evil.example:");
      const names = { "evil.example": ["93.184.216.1", address] };
      await using web = await proxyForTest({ context, names });

      expect(await web.get("http://evil.example/")).toMatch(/^HTTP\/1\.1 403 /);
      expect(web.dialled).toEqual([]);
    },
  );

  test("a localhost that leads elsewhere is refused", async () => {
    await using web = await proxyForTest({ names: { localhost: ["93.184.216.1"] } });

    expect(await web.get("http://localhost/")).toContain("which is not loopback");
    expect(web.dialled).toEqual([]);
  });
});

test("an address is looked up once: an answer that changes afterwards changes nothing", async () => {
  const answers = [["93.184.216.1"], ["127.0.0.1"]];
  await using web = await proxyForTest({ resolve: async () => answers.shift()! });

  const answer = await web.get("http://a.example/");

  expect(answer).toContain("200 OK");
  expect(answers).toHaveLength(1);
});

test("a private address that is granted itself is reached", async () => {
  const context = granting("in.example:80/", "10.0.0.7:80/");
  await using web = await proxyForTest({ context, names: { "in.example": ["10.0.0.7"] } });

  expect(await web.get("http://in.example/")).toContain("200 OK");
  expect(web.dialled).toEqual(["10.0.0.7:80"]);
});

test("a redirect is the program's next request, and asked about like the first", async () => {
  const site: RequestListener = (_, response) =>
    void response.writeHead(302, { location: "http://127.0.0.1/" }).end();
  await using web = await proxyForTest({
    context: granting("a.example:80/"),
    sites: { "a.example": site },
  });

  const answer = await web.get("http://a.example/");

  expect(answer).toContain("302 Found");
  expect(await web.get("http://127.0.0.1/")).toMatch(/^HTTP\/1\.1 403 /);
  expect(web.dialled).toEqual(["93.184.216.1:80"]);
});

test("a host that cannot be reached is said to be", async () => {
  await using web = await proxyForTest();

  expect(await web.get("http://nowhere.example/")).toMatch(/^HTTP\/1\.1 502 [^]*has no address/);
  expect(web.proxy.refusals).toBe(0);
});

test("https in a request is TLS from here, to the true host", async () => {
  await using web = await proxyForTest();

  expect(await web.get("https://a.example/x")).toContain("GET /x at a.example");
  expect(web.dialled).toEqual(["93.184.216.1:443"]);
});

test("an answer that changes the protocol is a failure", async () => {
  const site: RequestListener = (request, _response) =>
    void request.socket.write(
      "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxx",
    );
  await using web = await proxyForTest({ sites: { "a.example": site } });

  const answer = await web.get("http://a.example/", "Upgrade: x");

  expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*another protocol/);
});

test("PROXY-1: the socket is for one user", async () => {
  await using web = await proxyForTest();

  expect((await stat(web.proxy.socket)).mode & 0o777).toBe(0o600);
});

describe("PROXY-4: when the call is stopped", () => {
  test("a request under way is cut, and nothing can connect any more", async () => {
    const stop = new AbortController();
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const site: RequestListener = (request) => {
      request.socket.once("close", () => gone.resolve());
      arrived.resolve();
    };
    const context = deviceContextForTest({ signal: stop.signal });
    await using web = await proxyForTest({ context, sites: { "a.example": site } });
    const asking = web.get("http://a.example/");
    await arrived.promise;

    stop.abort(new Error("revoked"));
    await gone.promise;
    await web.proxy.close();

    expect(await asking).toBe("");
    await expect(web.connect()).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a proxy is not opened at all after that", async () => {
    const context = deviceContextForTest({ signal: AbortSignal.abort(new Error("revoked")) });

    await expect(proxyForTest({ context })).rejects.toThrow("revoked");
  });

  test("a program that goes away takes its request along", async () => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const site: RequestListener = (request) => {
      request.socket.once("close", () => gone.resolve());
      arrived.resolve();
    };
    await using web = await proxyForTest({ sites: { "a.example": site } });
    const socket = await web.connect();
    socket.write(proxyRequestText("GET", "http://a.example/"));
    await arrived.promise;

    socket.destroy();
    await once(socket, "close");

    await gone.promise;
  });
});
