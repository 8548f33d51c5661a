import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { readHead } from "./request-head.ts";

// What Node's parser would refuse before: both must, so that neither has to be right alone.

const head = (given: Partial<IncomingMessage>, inside?: string) =>
  readHead(
    {
      method: "POST",
      url: inside === undefined ? "http://a.example/" : "/",
      httpVersion: "1.1",
      rawHeaders: [],
      ...given,
    } as IncomingMessage,
    inside,
  );
const withHeaders = (...raw: string[]) => ({ rawHeaders: ["Host", "a.example", ...raw] });

test("a request is read", () => {
  expect(head(withHeaders("X", "y", "Content-Length", "12"))).toMatchObject({
    method: "post",
    target: { origin: "http://a.example" },
    headers: [["X", "y"]],
    body: 12,
  });
  expect(head(withHeaders("Transfer-Encoding", "chunked")).body).toBe("chunked");
  expect(head(withHeaders()).body).toBe("none");
});

describe("a request is refused that has", () => {
  const cases: [what: string, given: Partial<IncomingMessage>, inside?: string][] = [
    [
      "a host behind the tunnel's",
      { url: ".evil.example/", httpVersion: "1.0" },
      "https://a.example",
    ],
    ["a port behind the tunnel's", { url: ":81/", httpVersion: "1.0" }, "https://a.example"],
    ["another version", { ...withHeaders(), httpVersion: "0.9" }],
    ["a zero in a header", withHeaders("X", "a\0b")],
    ["a line break in a header", withHeaders("X", "a\r\nY: b")],
    ["a length that is no number", withHeaders("Content-Length", "5, 5")],
    ["a length with a sign", withHeaders("Content-Length", "-5")],
    ["two lengths", withHeaders("Content-Length", "5", "content-length", "5")],
    ["a length and chunks", withHeaders("Content-Length", "5", "Transfer-Encoding", "chunked")],
    ["another coding", withHeaders("Transfer-Encoding", "gzip, chunked")],
    ["two codings", withHeaders("Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked")],
    ["chunks in HTTP/1.0", { ...withHeaders("Transfer-Encoding", "chunked"), httpVersion: "1.0" }],
    ["two hosts", withHeaders("Host", "a.example")],
    ["no host", {}],
  ];
  test.each(cases)("%s", (_what, given, inside) => {
    expect(() => head(given, inside)).toThrow(/is refused/);
  });
});
