import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { HeldPattern, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { createAuthority } from "./authority.ts";
import { helloText } from "../../../../tests/helpers/drivers/client-hello.ts";
import {
  allOf,
  echoListener,
  proxyForTest,
  secured,
  worldAuthority,
} from "../../../../tests/helpers/drivers/proxy.ts";

const ALL = ["get", "head", "post", "put", "patch", "delete", "options"];
const held =
  (...patterns: (string | HeldPattern)[]) =>
  () =>
    patterns.map((one) => (typeof one === "string" ? { pattern: one, verbs: ALL } : one));
const whole = (more: Parameters<typeof deviceContextForTest>[0] = {}) =>
  deviceContextForTest({ granted: held("a.example/**"), ...more });

const request = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\n${["Host: a.example", ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`;

/** Speaks inside a tunnel; gives what comes back, or how it failed. */
async function speak(
  tunnel: Socket | string,
  options: ConnectionOptions,
  text = request("/x"),
): Promise<string> {
  try {
    const secure = await secured(tunnel, options);
    secure.write(text);
    return await allOf(secure);
  } catch (error) {
    return String(error);
  }
}

describe("passed on, where the process may do everything", () => {
  test("the program speaks with the host itself", async () => {
    const context = whole();
    await using web = await proxyForTest({ context });

    const answer = await speak(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca: worldAuthority,
    });

    expect(answer).toContain("GET /x at a.example");
    expect(web.dialled).toEqual(["93.184.216.1:443"]);
    expect(web.proxy.visits()).toEqual([
      { host: "a.example", verb: "connect", status: 200, count: 1 },
    ]);
    expect(context.asked).toEqual(
      ALL.map((verb) => ({ kind: "http", resource: "a.example:443/", verb })),
    );
  });

  test("only a host in the public internet is reached", async () => {
    const context = whole({ grants: ({ resource }) => !resource.startsWith("10.") });
    await using web = await proxyForTest({ context, names: { "a.example": ["10.0.0.7"] } });

    const answer = await speak(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca: web.proxy.authorities,
    });

    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(web.dialled).toEqual([]);
  });

  test("or one whose address is granted whole, too", async () => {
    const names = { "a.example": ["10.0.0.7"] };
    await using some = await proxyForTest({ context: whole(), names });
    const context = whole({ granted: held("a.example/**", "10.0.0.7/**") });
    await using all = await proxyForTest({ context, names });
    const options = { servername: "a.example", ca: worldAuthority };

    // Opened, for the address is not granted whole: the program does not trust our certificate.
    expect(await speak(await some.tunnel("a.example:443"), options)).toContain("unable to verify");
    expect(await speak(await all.tunnel("a.example:443"), options)).toContain("GET /x");
    expect(all.dialled).toEqual(["10.0.0.7:443"]);
    expect(context.asked).toHaveLength(2 * ALL.length);
    expect(context.asked.slice(ALL.length)).toEqual(
      ALL.map((verb) => ({ kind: "http", resource: "10.0.0.7:443/", verb })),
    );
  });

  test("a refusal of the address is said before the tunnel", async () => {
    const context = whole();
    await using web = await proxyForTest({ context, sites: {} });

    expect(await web.tunnel("a.example:443")).toMatch(/^HTTP\/1\.1 502 [^]*has no address/);
  });

  test("it is cut when the call is stopped", async () => {
    const stop = new AbortController();
    await using web = await proxyForTest({ context: whole({ signal: stop.signal }) });
    const secure = await secured(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca: worldAuthority,
    });
    secure.on("error", () => {});

    stop.abort(new Error("revoked"));

    await once(secure, "close");
  });

  test.each([
    ["the grant", "a.example/**", "93.184.216.1"],
    ["the grant of its address", "10.0.0.7/**", "10.0.0.7"],
  ])("it is cut when %s ends", async (_what, pattern, address) => {
    const soon = { pattern, verbs: ALL, expiresAt: Date.now() + 300 };
    const granted = held(soon, ...(address.startsWith("10.") ? ["a.example/**"] : []));
    await using web = await proxyForTest({
      context: whole({ granted }),
      names: { "a.example": [address] },
    });
    const secure = await secured(await web.tunnel("a.example:443"), {
      servername: "a.example",
      ca: worldAuthority,
    });
    secure.on("error", () => {});

    await once(secure, "close");

    expect(web.proxy.refusals).toBe(1);
  });
});

describe("opened, where it may not", () => {
  const trusting = (authorities: string): ConnectionOptions => ({
    servername: "a.example",
    ca: authorities,
  });
  const limited: [what: string, context: ReturnType<typeof whole>][] = [
    ["some paths", whole({ granted: held("a.example/v1/**") })],
    ["some methods", whole({ granted: held({ pattern: "a.example/**", verbs: ["get"] }) })],
    ["another port", whole({ granted: held("a.example:8443/**") })],
    ["grants that count", whole({ granted: held() })],
    ["a rule against one method", whole({ grants: ({ verb }: Touch) => verb !== "delete" })],
  ];
  test.each(limited)("with %s each request is asked about", async (_what, context) => {
    await using web = await proxyForTest({ context });
    const tunnel = await web.tunnel("a.example:443");
    expect(web.dialled).toEqual([]);

    const answer = await speak(tunnel, trusting(web.proxy.authorities));

    expect(answer).toContain("GET /x at a.example");
    expect(context.asked).toEqual([{ kind: "http", resource: "a.example:443/x", verb: "get" }]);
    expect(web.proxy.visits()).toEqual([{ host: "a.example", verb: "get", status: 200, count: 1 }]);
  });

  test("what is not granted is refused inside, with the reason", async () => {
    const context = deviceContextForTest({ grants: ({ resource }) => resource.endsWith("/ok") });
    await using web = await proxyForTest({ context });

    const answer = await speak(
      await web.tunnel("a.example:443"),
      trusting(web.proxy.authorities),
      request("/secret"),
    );

    expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*no capability for get on a\.example:443\/secret/);
    expect([web.dialled, web.lookedUp]).toEqual([[], []]);
  });

  test.each([
    ["a Host for another host", "GET /x HTTP/1.1\r\nHost: b.example\r\n\r\n"],
    ["a whole URL", "GET https://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n"],
    ["a whole URL elsewhere", "GET http://127.0.0.1/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ["a host in the path", "GET //b.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n"],
    ["a port in the path", "GET :81/x HTTP/1.1\r\nHost: a.example\r\n\r\n"],
    ["a tunnel", "CONNECT b.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n"],
    ["what is no HTTP", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ])("inside, %s is refused", async (_what, text) => {
    await using web = await proxyForTest({
      sites: { "a.example": echoListener, "b.example": echoListener },
    });

    const answer = await speak(
      await web.tunnel("a.example:443"),
      trusting(web.proxy.authorities),
      text,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(web.dialled).toEqual([]);
  });

  test("the true host's certificate is checked", async () => {
    await using web = await proxyForTest({ trusts: createAuthority().certificate });

    const answer = await speak(await web.tunnel("a.example:443"), trusting(web.proxy.authorities));

    expect(answer).toMatch(/^HTTP\/1\.1 502 [^]*UNABLE_TO_VERIFY/);
    expect(web.seen).toEqual([]);
  });

  test("there is no HTTP/2 in it", async () => {
    await using web = await proxyForTest();
    const tunnel = (await web.tunnel("a.example:443")) as Socket;

    const both = connectTls({
      socket: tunnel,
      ...trusting(web.proxy.authorities),
      ALPNProtocols: ["h2", "http/1.1"],
    });
    await once(both, "secureConnect");

    expect(both.alpnProtocol).toBe("http/1.1");
    both.destroy();
  });

  test("several requests, one after the other, and the tunnel stays", async () => {
    const context = deviceContextForTest();
    await using web = await proxyForTest({ context });
    const secure = await secured(
      await web.tunnel("a.example:443"),
      trusting(web.proxy.authorities),
    );

    secure.write("GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\n");
    await once(secure, "data");
    secure.write(request("/2"));

    expect(await allOf(secure)).toContain("GET /2");
    expect(context.asked.map(({ resource }) => resource)).toEqual([
      "a.example:443/1",
      "a.example:443/2",
    ]);
  });

  test("an address has a certificate, too", async () => {
    await using web = await proxyForTest();

    const answer = await speak(
      await web.tunnel("93.184.216.1:443"),
      { ca: web.proxy.authorities, host: "93.184.216.1" },
      "GET / HTTP/1.1\r\nHost: 93.184.216.1\r\nConnection: close\r\n\r\n",
    );

    // The site has no certificate for it: that is said by the true host's check.
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(web.dialled).toEqual(["93.184.216.1:443"]);
  });
});

describe.each([
  ["passed on", whole()],
  ["opened", deviceContextForTest()],
])("TUNNEL-1: of a tunnel that would be %s", (_how, context) => {
  test("the hello must be for its host", async () => {
    await using web = await proxyForTest({
      context,
      sites: { "a.example": echoListener, "b.example": echoListener },
    });

    const answer = await speak(await web.tunnel("a.example:443"), {
      servername: "b.example",
      rejectUnauthorized: false,
    });

    expect(answer).toMatch(/access.denied/i);
    expect(web.seen).toEqual([]);
    expect(web.proxy.refusals).toBe(1);
  });

  test("the hello must name its host", async () => {
    await using web = await proxyForTest({ context });

    const answer = await speak(await web.tunnel("a.example:443"), { rejectUnauthorized: false });

    expect(answer).toMatch(/access.denied/i);
    expect(web.seen).toEqual([]);
  });

  test.each([
    ["HTTP", request("/x")],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["bytes", "\0\0\0\0"],
    ["TLS that is no hello", "\x16\x03\x01\x00\x04\x02\x00\x00\x00"],
    ["another kind of record", "\x17\x03\x03\x00\x01x"],
  ])("%s is refused", async (_what, text) => {
    await using web = await proxyForTest({ context });
    const tunnel = (await web.tunnel("a.example:443")) as Socket;

    tunnel.write(Buffer.from(text, "latin1"));
    const answer = await allOf(tunnel);

    // In words; or, where TLS was begun, as its alert.
    if (!text.startsWith("\x16")) expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*not TLS/);
    else expect(Buffer.from(answer, "latin1")[0]).toBe(0x15);
    expect(web.seen).toEqual([]);
    expect(web.proxy.refusals).toBe(1);
  });
});

test("TUNNEL-3: a hello that may hide another name is opened", async () => {
  await using web = await proxyForTest({ context: whole() });
  const [open, hidden] = [await web.tunnel("a.example:443"), await web.tunnel("a.example:443")];
  const visits = () => web.proxy.visits().map(({ verb }) => verb);

  (hidden as Socket).write(helloText({ names: ["a.example"], others: [[0xfe0d, "\0"]] }));
  await allOf(hidden as Socket);
  expect(visits()).toEqual([]);
  (open as Socket).write(helloText({ names: ["a.example"] }));
  await allOf(open as Socket);
  expect(visits()).toEqual(["connect"]);
});

describe("on another port than 443", () => {
  test("HTTP in a tunnel is carried like any other", async () => {
    const context = deviceContextForTest({ grants: ({ resource }) => resource.endsWith("80/x") });
    await using web = await proxyForTest({ context });
    const [good, bad] = [await web.tunnel("a.example:80"), await web.tunnel("a.example:80")];

    (good as Socket).write(request("/x"));
    (bad as Socket).write(request("/y"));

    expect(await allOf(good as Socket)).toContain("GET /x at a.example");
    expect(await allOf(bad as Socket)).toMatch(/^HTTP\/1\.1 403 [^]*a\.example:80\/y/);
    expect(web.seen).toHaveLength(1);
  });

  test("another protocol is refused, even where everything is granted", async () => {
    const context = whole({ granted: held("a.example:22/**") });
    await using web = await proxyForTest({ context });
    const tunnel = (await web.tunnel("a.example:22")) as Socket;

    tunnel.write("\0\0SSH-2.0-x\r\n");

    expect(await allOf(tunnel)).toMatch(/^HTTP\/1\.1 403 [^]*not TLS/);
    expect(web.seen).toEqual([]);
  });
});
