import type { Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { createEgress, createHttpTools } from "./index.ts";
import { webForTest } from "../../../../tests/helpers/drivers/web.ts";

const PLACE = { workspace: { isCow: false } };

const url = "https://a.example/v1";
const [httpFetch, httpSend] = createHttpTools(createEgress()) as [
  ReturnType<typeof createHttpTools>[number],
  ReturnType<typeof createHttpTools>[number],
];
const mark = "{{secret:TOKEN}}";

const badHeaders: [string, Json][] = [
  ["a line break in a value", { a: "b\r\nHost: evil" }],
  ["a newline in a value", { a: "b\nc" }],
  ["a NUL in a value", { a: "b\0c" }],
  ["what is not ASCII in a value", { a: "é" }],
  ["a line break in a name", { "a\r\nb": "c" }],
  ["a space in a name", { "a b": "c" }],
  ["a colon in a name", { "a:b": "c" }],
  ["no name", { "": "c" }],
  ["the same name twice", { A: "1", a: "2" }],
  ["a value that is too long", { a: "b".repeat(8193) }],
  ["too many", Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`h${at}`, "x"]))],
  ["a value that is no text", { a: 1 }],
  ["a secret without a name", { a: { secret: "" } }],
  ["a secret with a strange name", { a: { secret: "a/b" } }],
  ["a secret with more", { a: { secret: "A", origin: "x" } }],
  ["a mark that is not well written", { a: "{{secret: TOKEN}}" }],
  ["a mark in other letters", { a: "{{SECRET:TOKEN}}" }],
  ["a mark without a name", { a: "{{secret:}}" }],
  ["half a mark", { a: "{{secret:TOKEN" }],
  ...[
    "Host",
    "content-length",
    "Transfer-Encoding",
    "Connection",
    "keep-alive",
    "TE",
    "Trailer",
    "Upgrade",
    "HTTP2-Settings",
    "Expect",
    "Proxy-Authorization",
    "proxy-connection",
    "Idempotency-Key",
    "accept-encoding",
  ].map((name): [string, Json] => [name, { [name]: "x" }]),
];

describe("arguments that do not fit are refused before anything is sent", () => {
  test.each(badHeaders)("headers: %s", (_what, headers) => {
    expect(httpFetch.refuses?.({ url, headers })).toBeDefined();
    expect(httpSend.refuses?.({ method: "post", url, headers })).toBeDefined();
  });

  test.each([
    ["a secret in the URL", { url: `https://a.example/?t=${mark}` }],
    ["a secret in the path", { url: `https://a.example/${mark}` }],
    ["an encoded secret in the URL", { url: "https://a.example/?t=%7b%7Bsecret:TOKEN%7D%7D" }],
    ["a secret in the text", { text: `token=${mark}` }],
    ["a secret deep in the JSON", { json: { a: [{ b: mark }] } }],
    ["a secret as a key of the JSON", { json: { [mark]: 1 } }],
    ["two bodies", { text: "a", json: 1 }],
    ["no base64", { base64: "!" }],
    ["a URL that is none", { url: "file:///etc/passwd" }],
    ["a method that is not for sending", { method: "get" }],
    ["a method that is none", { method: "connect" }],
    ["a longer time", { timeoutMs: 300_001 }],
    ["no time", { timeoutMs: 0 }],
    ["more bytes", { limit: 8_388_609 }],
    ["more redirects", { maxRedirects: 6 }],
    ["what it does not know", { proxy: "http://x" }],
  ])("%s", (_what, args) => {
    expect(httpSend.refuses?.({ method: "post", url, ...args } as Json)).toBeDefined();
  });

  test("arguments that fit are not refused", () => {
    expect(httpFetch.refuses?.({ url, headers: { a: "{x}", b: mark } })).toBeUndefined();
    expect(httpSend.refuses?.({ method: "post", url, json: { secret: "a" } })).toBeUndefined();
    for (const method of ["trace", "post", "GET"])
      expect(httpFetch.refuses?.({ url, method })).toBeDefined();
  });
});

test("a call touches its URL with its method, and every secret once", () => {
  const headers = { a: `x ${mark} {{secret:B}}`, b: { secret: "TOKEN" } };

  expect(httpFetch.touches({ url, headers }, PLACE)).toEqual([
    { kind: "http", resource: "a.example:443/v1", verb: "get" },
    { kind: "secret", resource: "TOKEN", verb: "use" },
    { kind: "secret", resource: "B", verb: "use" },
  ]);
  expect(httpSend.touches({ url, method: "delete" }, PLACE)).toEqual([
    { kind: "http", resource: "a.example:443/v1", verb: "delete" },
  ]);
});

test("to delete is to destroy; both can be seen from outside, and what they bring is untrusted", () => {
  expect(httpSend.sinks?.({ url, method: "delete" }, PLACE)).toEqual(["egress", "destructive"]);
  expect(httpSend.sinks?.({ url, method: "put" }, PLACE)).toEqual(["egress"]);
  for (const { egress, label } of [httpFetch, httpSend]) {
    expect(egress).toBe(true);
    expect(label).toEqual({ integrity: "untrusted", secrecy: "public" });
  }
});

describe("on the web", () => {
  const setUp = async () => {
    const web = await webForTest({
      "a.example": (_, response) =>
        void response.writeHead(201, { "content-type": "text/plain" }).end("done"),
    });
    const [get, put] = createHttpTools(createEgress(web.options));
    return { web, get: get!, put: put! };
  };

  test("fetch gives the reply", async () => {
    const { web, get } = await setUp();
    await using _ = web;

    expect(await get.run({ url: "http://a.example/x", limit: 2 }, deviceContextForTest())).toEqual({
      status: 201,
      headers: expect.objectContaining({ "content-type": "text/plain" }),
      text: "do",
      url: "http://a.example/x",
      hops: [],
      cut: true,
    });
  });

  test.each([
    [{ text: "é" }, "é", "text/plain; charset=utf-8"],
    [{ json: { a: 1 } }, '{"a":1}', "application/json"],
    [{ json: null }, "null", "application/json"],
    [{ base64: "aGk=" }, "hi", "application/octet-stream"],
    [{ text: "x", headers: { "Content-Type": "a/b" } }, "x", "a/b"],
    [{}, "", undefined],
  ])("send carries %j, its length and the key of the call", async (args, body, type) => {
    const { web, put } = await setUp();
    await using _ = web;

    await put.run(
      { method: "put", url: "http://a.example/x", ...args } as Json,
      deviceContextForTest(),
    );

    expect(web.seen).toMatchObject([{ method: "PUT", body, headers: { "idempotency-key": "k" } }]);
    expect(web.seen[0]?.headers["content-type"]).toBe(type);
    expect(web.seen[0]?.headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  });
});
