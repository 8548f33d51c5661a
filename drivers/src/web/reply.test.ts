import type { ServerResponse } from "node:http";
import { once } from "node:events";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { createEgress, type EgressRequest } from "./egress.ts";
import { showBody } from "./reply.ts";
import { readUrl } from "./url.ts";
import { webForTest } from "../../../tests/helpers/drivers/web.ts";

type Site = Parameters<typeof webForTest>[0][string];

async function ask(
  site: Site,
  more: Partial<EgressRequest> = {},
  context = deviceContextForTest(),
) {
  await using web = await webForTest({ "a.example": site });
  return await createEgress(web.options).send(
    {
      method: "get",
      target: readUrl("http://a.example/"),
      headers: {},
      limit: 1000,
      timeoutMs: 20_000,
      maxRedirects: 5,
      ...more,
    },
    context,
  );
}

const answers =
  (body: Buffer | string, headers: Record<string, string | string[]> = {}, status = 200): Site =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

const raw = (text: string): Site => ({
  raw: (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(text));
  },
});

const codings: [string, (bytes: Buffer) => Buffer][] = [
  ["gzip", (bytes) => gzipSync(bytes)],
  ["x-gzip", (bytes) => gzipSync(bytes)],
  ["GZIP", (bytes) => gzipSync(bytes)],
  ["br", (bytes) => brotliCompressSync(bytes)],
  ["deflate", (bytes) => deflateSync(bytes)],
  ["deflate", (bytes) => deflateRawSync(bytes)],
  ["identity", (bytes) => bytes],
];

describe("WEB-REPLY-1: a body is kept up to the limit", () => {
  test.each([
    [999, false],
    [1000, false],
    [1001, true],
    [10_000_000, true],
  ])("of %i bytes: cut %s", async (size, cut) => {
    const reply = await ask(answers("x".repeat(size)));

    expect(reply.bytes.length).toBe(Math.min(size, 1000));
    expect(reply.cut).toBe(cut);
  });

  test("a body that never ends is cut", async () => {
    const endless = (_: unknown, response: ServerResponse) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1000)));
        response.once("drain", more);
      };
      more();
    };

    expect(await ask(endless)).toMatchObject({ cut: true, bytes: { length: 1000 } });
  });

  test.each(codings)("a body is cut by its size after %s", async (coding, encode) => {
    const small = await ask(answers(encode(Buffer.from("hello")), { "content-encoding": coding }));
    const bomb = encode(Buffer.alloc(20_000_000));
    const large = await ask(answers(bomb, { "content-encoding": coding }));

    expect(small.bytes.toString()).toBe("hello");
    expect(large).toMatchObject({ cut: true, bytes: { length: 1000 } });
  });

  test("a body that decompresses into nothing is cut", async () => {
    // Empty members of gzip, one after the other.
    const nothing = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync("")));

    expect(await ask(answers(nothing, { "content-encoding": "gzip" }))).toMatchObject({
      cut: true,
      bytes: { length: 0 },
    });
  });

  test("a server that goes silent after the limit is not waited for", async () => {
    const silent: Site = (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.write(gzipSync(Buffer.alloc(100_000)).subarray(0, -4));
    };

    expect(await ask(silent)).toMatchObject({ cut: true });
  });
});

describe("WEB-REPLY-2: a body in another coding is refused", () => {
  test.each(["zstd", "gzip, gzip", "compress", "__proto__"])("%s", async (coding) => {
    await expect(ask(answers("x", { "content-encoding": coding }))).rejects.toMatchObject({
      code: "EUPSTREAM",
    });
  });

  test.each([
    ["what is not what it says", "gzip", Buffer.from("no gzip")],
    ["what ends too soon", "gzip", gzipSync("x".repeat(500)).subarray(0, -9)],
  ])("%s", async (_what, coding, body) => {
    await expect(ask(answers(body, { "content-encoding": coding }))).rejects.toMatchObject({
      code: "EUPSTREAM",
    });
  });

  test("nothing is nothing in every coding", async () => {
    const site = answers("", { "content-encoding": "gzip" });

    expect((await ask(site)).bytes.length).toBe(0);
    expect((await ask(site, { method: "head" })).bytes.length).toBe(0);
  });
});

describe("a server that misbehaves gets no answer used", () => {
  test("takes too long to answer, or in the middle of it", async () => {
    const never: Site = () => {};
    const drips: Site = (_, response) => void response.writeHead(200).write("x");

    for (const site of [never, drips])
      await expect(ask(site, { timeoutMs: 50 })).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test("is left at once when the call is stopped", async () => {
    for (const headFirst of [false, true]) {
      const stop = new AbortController();
      const site: Site = (_, response) => {
        if (headFirst) response.writeHead(200).write("x");
        stop.abort(new SysError("EINTR", "revoked"));
      };

      await expect(
        ask(site, {}, deviceContextForTest({ signal: stop.signal })),
      ).rejects.toMatchObject({ code: "EINTR", message: "revoked" });
    }
  });

  test("is not met at all when the call was stopped while its name was looked up", async () => {
    await using web = await webForTest({ "a.example": answers("") });
    const stop = new AbortController();
    const resolve = () => {
      stop.abort();
      return new Promise<string[]>(() => {});
    };
    const egress = createEgress({ ...web.options, resolve });
    const target = readUrl("http://a.example/");
    const request = {
      method: "get",
      target,
      headers: {},
      limit: 1,
      timeoutMs: 9999,
      maxRedirects: 0,
    };

    await expect(
      egress.send(request, deviceContextForTest({ signal: stop.signal })),
    ).rejects.toMatchObject({ code: "EINTR" });
    expect(web.dialled).toEqual([]);
  });

  test.each([
    ["has too many headers", `HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(129)}\r\n`],
    ["has too long headers", `HTTP/1.1 200 OK\r\na: ${"b".repeat(40_000)}\r\n\r\n`],
    ["says two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"],
    [
      "says a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["ends lines in its own way", "HTTP/1.1 200 OK\nA: b\n\nxx"],
    [
      "changes the protocol",
      "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nxx",
    ],
    ["hangs up", ""],
    ["hangs up in the middle", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxx"],
    ["speaks something else", "SSH-2.0-x\r\n"],
  ])("%s", async (_what, text) => {
    await expect(ask(raw(text))).rejects.toMatchObject({ code: "EUPSTREAM" });
  });

  test("EGRESS-4: what it sends after its answer is nobody's answer", async () => {
    const twice = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let connections = 0;
    await using web = await webForTest({
      "a.example": {
        raw: (socket) => {
          connections += 1;
          socket.on("error", () => {});
          socket.once("data", () => socket.write(`${twice}${twice.replace("ok", "no")}`));
        },
      },
    });
    const egress = createEgress(web.options);
    const target = readUrl("http://a.example/");
    const request = {
      method: "get",
      target,
      headers: {},
      limit: 9,
      timeoutMs: 9999,
      maxRedirects: 0,
    };

    for (const _ of [1, 2]) {
      const { bytes } = await egress.send(request, deviceContextForTest());
      expect(bytes.toString()).toBe("ok");
    }
    expect(connections).toBe(2);
  });

  test.each([
    ["answered", 200, { "content-length": "1" }, Buffer.from("x")],
    ["sent more than is kept", 200, {}, Buffer.alloc(5000)],
    [
      "sent more than is kept, folded",
      200,
      { "content-encoding": "gzip" },
      gzipSync(Buffer.alloc(1e6)).subarray(0, -4),
    ],
    ["led on, and went on speaking", 302, { location: "/next" }, Buffer.alloc(5000)],
  ])(
    "EGRESS-4: the connection is closed when the server has %s",
    async (_what, status, headers, body) => {
      const closed: Promise<unknown>[] = [];
      await using web = await webForTest({
        "a.example": (incoming, response) => {
          closed.push(once(incoming.socket, "close"));
          if (incoming.url === "/") response.writeHead(status, headers).write(body); // no end
          else response.end();
        },
      });
      const target = readUrl("http://a.example/");
      const request = {
        method: "get",
        target,
        headers: {},
        limit: 9,
        timeoutMs: 300_000,
        maxRedirects: 1,
      };

      await createEgress(web.options).send(request, deviceContextForTest());

      await Promise.all(closed);
      expect(closed.length).toBe(status === 302 ? 2 : 1);
    },
  );
});

test("headers of some length are taken", async () => {
  const long = "b".repeat(20_000);

  const { headers } = await ask(raw(`HTTP/1.1 200 OK\r\na: ${long}\r\n\r\n`));

  expect(headers["a"]).toBe(long);
});

test("headers come as they are, cookies as a list", async () => {
  const { headers } = await ask(answers("", { "X-A": "1", "set-cookie": ["a=1", "b=2"] }));

  expect(headers).toMatchObject({ "x-a": "1", "set-cookie": ["a=1", "b=2"] });
});

test.each([
  ["héllo", Buffer.from("héllo"), "text/html", false, { text: "héllo" }],
  ["latin", Buffer.from([0xe9]), "text/html; charset=iso-8859-1", false, { text: "é" }],
  ["bytes", Buffer.from([0xff, 0xfe]), "text/html", false, { base64: "//4=" }],
  ["zeros", Buffer.from([0]), "text/plain", false, { base64: "AA==" }],
  ["strange", Buffer.from("a"), "text/html; charset=nonsense", false, { base64: "YQ==" }],
  ["cut", Buffer.from("aé").subarray(0, 2), "text/html", true, { text: "a" }],
])("a body is shown as text when it is: %s", (_what, bytes, type, cut, shown) => {
  expect(showBody({ bytes, cut }, type)).toEqual(shown);
});
