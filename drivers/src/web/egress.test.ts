import type { ServerResponse } from "node:http";
import { connect, createServer, Socket } from "node:net";
import { once } from "node:events";
import type { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { createEgress, type EgressOptions, type EgressRequest } from "./egress.ts";
import { readUrl } from "./url.ts";
import { webForTest } from "../../../tests/helpers/drivers/web.ts";

const request = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: "get",
  target: readUrl(url),
  headers: {},
  limit: 1000,
  timeoutMs: 20_000,
  maxRedirects: 5,
  ...more,
});

const send = (
  options: EgressOptions,
  url: string,
  more: Partial<EgressRequest> = {},
  context = deviceContextForTest(),
) => createEgress(options).send(request(url, more), context);

const says = (text: string) => (_: unknown, response: ServerResponse) => void response.end(text);
const leads =
  (to: string, status = 302) =>
  (_: unknown, response: ServerResponse) =>
    void response.writeHead(status, { location: to }).end();

const granting = (...hosts: string[]) =>
  deviceContextForTest({
    grants: ({ resource }) => hosts.some((host) => resource.startsWith(`${host}:`)),
  });

test("a request goes to the checked address, with the name that was asked for", async () => {
  await using web = await webForTest({ "a.example": says("hello") });
  const context = deviceContextForTest();

  const reply = await send(web.options, "http://a.example:81/v1?q=1", {}, context);

  expect(reply).toMatchObject({
    status: 200,
    url: "http://a.example:81/v1?q=1",
    hops: [],
    cut: false,
  });
  expect(reply.bytes.toString()).toBe("hello");
  expect(web.dialled).toEqual(["93.184.216.1"]);
  expect(web.seen).toMatchObject([{ host: "a.example:81", method: "GET", url: "/v1?q=1" }]);
  expect(web.seen[0]?.headers).toMatchObject({ connection: "close", "user-agent": "aos" });
  expect(context.asked).toEqual([{ kind: "http", resource: "a.example:81/v1", verb: "get" }]);
});

describe("EGRESS-1: nothing is sent", () => {
  test("that the gate refuses", async () => {
    await using web = await webForTest({ "a.example": says("") });

    await expect(send(web.options, "http://a.example/", {}, granting())).rejects.toMatchObject({
      code: "EACCES",
    });
    expect(web.dialled).toEqual([]);
  });

  test("to the loopback, unless it is granted; by address and by name", async () => {
    await using web = await webForTest({ here: says("inside") });
    const port = web.port("here");
    const byName = { resolve: async () => ["127.0.0.1"] };

    await expect(send({}, `http://127.0.0.1:${port}/`, {}, granting())).rejects.toThrow();
    await expect(
      send(byName, `http://a.example:${port}/`, {}, granting("a.example")),
    ).rejects.toMatchObject({ code: "EACCES" });
    expect(web.seen).toEqual([]);

    const byAddress = await send({}, `http://127.0.0.1:${port}/`, {}, granting("127.0.0.1"));
    const byBoth = granting("a.example", "127.0.0.1");
    await send(byName, `http://a.example:${port}/`, {}, byBoth);
    await send({}, `http://localhost:${port}/`, {}, granting("localhost"));
    expect(byAddress.bytes.toString()).toBe("inside");
    expect(web.seen.length).toBe(3);
  });

  test("to an address that a name has only later", async () => {
    await using web = await webForTest({ "a.example": says("") });
    const answers = [["93.184.216.1"], ["127.0.0.1"]];
    let asked = 0;
    const options = { ...web.options, resolve: async () => answers[asked++] ?? [] };

    await send(options, "http://a.example/", {}, granting("a.example"));
    expect(asked).toBe(1);

    await expect(
      send(options, "http://a.example/", {}, granting("a.example")),
    ).rejects.toMatchObject({ code: "EACCES" });
    expect(web.dialled).toEqual(["93.184.216.1"]);
  });

  test("a proxy of the environment is not used", async () => {
    const proxied: string[] = [];
    await using proxy = createServer((socket) => {
      proxied.push("met");
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
    await using web = await webForTest({ "a.example": says("direct") });
    const names = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    for (const name of names) process.env[name] = name.startsWith("NODE") ? "1" : url;
    try {
      expect((await send(web.options, "http://a.example/")).bytes.toString()).toBe("direct");
      expect(proxied).toEqual([]);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });
});

describe("a redirect", () => {
  test("is followed where it is granted, each hop asked about with its method", async () => {
    await using web = await webForTest({
      "a.example": leads("http://b.example:81/x?y"),
      "b.example": says("there"),
    });
    const context = deviceContextForTest();

    const reply = await send(web.options, "http://a.example/go", {}, context);

    expect(reply).toMatchObject({ url: "http://b.example:81/x?y", hops: ["http://a.example/go"] });
    expect(context.asked.map(({ resource, verb }) => `${verb} ${resource}`)).toEqual([
      "get a.example:80/go",
      "get b.example:81/x",
    ]);
  });

  test.each([
    ["another host", "http://b.example/"],
    ["the metadata address", "http://169.254.169.254/latest/meta-data"],
    ["a name of the metadata address", "http://metadata.example/"],
    ["the loopback", "http://127.0.0.1/"],
    ["another spelling of the loopback", "http://2130706433/"],
    ["no web address", "file:///etc/passwd"],
    ["a place behind a user", "http://a.example@b.example/"],
  ])("EGRESS-1: to %s is refused, and nothing goes there", async (_what, to) => {
    await using web = await webForTest({ "a.example": leads(to), "b.example": says("secret") });
    const resolve = async (host: string) =>
      host === "metadata.example" ? ["169.254.169.254"] : web.options.resolve(host);
    const context = granting("a.example", "metadata.example");

    await expect(
      send({ ...web.options, resolve }, "http://a.example/", {}, context),
    ).rejects.toMatchObject({ code: "EACCES" });
    expect(web.dialled).toEqual(["93.184.216.1"]);
  });

  test("EGRESS-1: a hop is resolved anew, and refused when the name has become private", async () => {
    await using web = await webForTest({ "a.example": leads("/again") });
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? ["93.184.216.1"] : ["10.0.0.1"]);

    await expect(
      send({ ...web.options, resolve }, "http://a.example/", {}, granting("a.example")),
    ).rejects.toMatchObject({ code: "EACCES" });
    expect(web.dialled.length).toBe(1);
  });

  test.each([
    [301, "post", "get"],
    [302, "post", "get"],
    [303, "post", "get"],
    [303, "put", "get"],
    [303, "delete", "get"],
    [303, "head", "head"],
    [301, "put", "put"],
    [302, "delete", "delete"],
    [307, "post", "post"],
    [308, "patch", "patch"],
    [302, "head", "head"],
  ])("with %i makes of %s a %s", async (status, method, becomes) => {
    await using web = await webForTest({
      "a.example": (incoming, response) =>
        incoming.url === "/" ? leads("/next", status)(incoming, response) : void response.end(),
    });
    const context = deviceContextForTest();
    const headers = { "content-type": "text/plain", "idempotency-key": "k", "x-a": "1" };
    const body = method === "head" ? {} : { body: Buffer.from("body") };

    await send(web.options, "http://a.example/", { method, headers, ...body }, context);

    expect(context.asked.map(({ verb }) => verb)).toEqual([method, becomes]);
    expect(web.seen[1]?.method).toBe(becomes.toUpperCase());
    const keeps = becomes === method;
    expect(web.seen[1]?.body).toBe(keeps && method !== "head" ? "body" : "");
    expect("content-type" in web.seen[1]!.headers).toBe(keeps);
    expect("idempotency-key" in web.seen[1]!.headers).toBe(keeps);
    expect(web.seen[1]?.headers["x-a"]).toBe("1");
  });

  test("EGRESS-3: a redirect never leads from https to http", async () => {
    await using web = await webForTest({ "a.example": leads("http://b.example/") });
    const dial: EgressOptions["dial"] = (address, target) =>
      web.options
        .dial(address, { ...target, scheme: "http" })
        .once("connect", function (this: Socket) {
          this.emit("secureConnect");
        });

    await expect(send({ ...web.options, dial }, "https://a.example/")).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringContaining("from https to http"),
    });
  });

  test("EGRESS-3: is followed so often and not more; with 0 it is the reply", async () => {
    await using web = await webForTest({ "a.example": leads("/") });

    await expect(send(web.options, "http://a.example/", { maxRedirects: 5 })).rejects.toMatchObject(
      { code: "EUPSTREAM", message: "more than 5 redirects" },
    );
    expect(web.seen.length).toBe(6);
    expect(await send(web.options, "http://a.example/", { maxRedirects: 0 })).toMatchObject({
      status: 302,
      headers: { location: "/" },
    });
  });
});

describe("EGRESS-2: secrets and headers", () => {
  const TOKEN = "t0ken";
  const atA = (more: { signal?: AbortSignal } = {}) =>
    deviceContextForTest({
      ...more,
      secrets: (name, place) =>
        name === "TOKEN" && place.kind === "header" && place.origin === "http://a.example"
          ? TOKEN
          : undefined,
    });
  const headers = {
    Authorization: "Bearer {{secret:TOKEN}}",
    "x-key": { secret: "TOKEN" },
    accept: "{{secret:TOKEN}}",
    cookie: "id=1",
    "x-plain": "mine",
    "accept-language": "de",
  };

  test("a secret is asked for its place on every hop, and put in there", async () => {
    await using web = await webForTest({
      "a.example": (incoming, response) =>
        incoming.url === "/" ? leads("/next")(incoming, response) : void response.end(),
    });
    const context = atA();

    await send(
      web.options,
      "http://a.example/",
      { headers: { Authorization: headers.Authorization } },
      context,
    );

    const place = { kind: "header", origin: "http://a.example", header: "authorization" };
    expect(context.places).toEqual([place, place]);
    expect(web.seen.map((seen) => seen.headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      `Bearer ${TOKEN}`,
    ]);
  });

  test("nothing of the kind goes to another origin, and not back to the first either", async () => {
    await using web = await webForTest({
      "a.example": (incoming, response) =>
        incoming.url === "/" ? leads("http://b.example/")(incoming, response) : void response.end(),
      "b.example": leads("http://a.example/back"),
    });

    await send(web.options, "http://a.example/", { headers }, atA());

    expect(web.seen[0]?.headers).toMatchObject({ "x-key": TOKEN, cookie: "id=1", accept: TOKEN });
    for (const { headers: sent } of web.seen.slice(1)) {
      expect(JSON.stringify(sent)).not.toContain(TOKEN);
      expect(
        Object.keys(sent).filter((name) =>
          ["authorization", "cookie", "x-key", "x-plain"].includes(name),
        ),
      ).toEqual([]);
      expect(sent["accept-language"]).toBe("de");
    }
    expect(web.seen.length).toBe(3);
  });

  test("another port, or http in place of https, is another origin", async () => {
    await using web = await webForTest({
      "a.example": (incoming, response) =>
        incoming.headers.host === "a.example"
          ? leads("http://a.example:8080/")(incoming, response)
          : void response.end(),
    });

    await send(web.options, "http://a.example/", { headers }, atA());

    expect(JSON.stringify(web.seen[1]?.headers)).not.toContain(TOKEN);
  });

  test("a secret that is not for the place stops the request before it is sent", async () => {
    await using web = await webForTest({ "b.example": says("") });

    await expect(send(web.options, "http://b.example/", { headers }, atA())).rejects.toMatchObject({
      code: "EACCES",
    });
    expect(web.dialled).toEqual([]);
  });

  test("EGRESS-5: a secret with a line break is not sent, and not told", async () => {
    await using web = await webForTest({ "a.example": says("") });
    const context = deviceContextForTest({ secrets: () => "one\r\nX-Evil: two" });

    const failed = await send(web.options, "http://a.example/", { headers }, context).catch(
      (error: SysError) => error,
    );

    expect(failed).toMatchObject({ code: "EINVAL" });
    expect(JSON.stringify((failed as SysError).toText())).not.toContain("one");
    expect(web.dialled).toEqual([]);
  });
});

test("the next address is tried when one does not answer", async () => {
  await using web = await webForTest({ "a.example": says("second") });
  const tried: string[] = [];
  const options: EgressOptions = {
    resolve: async () => ["93.184.216.200", "93.184.216.201", "93.184.216.1"],
    connectMs: 10,
    dial: (address, target) => {
      tried.push(address);
      if (address.endsWith(".200")) return new Socket(); // never says a word
      if (address.endsWith(".201")) return connect({ host: "127.0.0.1", port: 1 });
      return web.options.dial(address, target);
    },
  };

  expect((await send(options, "http://a.example/")).bytes.toString()).toBe("second");
  expect(tried).toEqual(["93.184.216.200", "93.184.216.201", "93.184.216.1"]);
});

test("nobody there is told as such", async () => {
  const options: EgressOptions = {
    resolve: async () => ["93.184.216.1"],
    dial: () => connect({ host: "127.0.0.1", port: 1 }),
  };

  await expect(send(options, "http://a.example/")).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: "cannot connect to http://a.example: ECONNREFUSED",
  });
});
