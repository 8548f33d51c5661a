import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { nextHop } from "./redirect.ts";
import { readUrl } from "./url.ts";

const target = readUrl("http://a.example/");
const reply = (statusCode: number, location?: string) =>
  ({ statusCode, headers: location === undefined ? {} : { location } }) as IncomingMessage;

test.each([
  ["an answer that names a place", 201, "/made"],
  ["a choice", 300, "/one"],
  ["nothing new", 304, "/same"],
  ["a redirect that leads nowhere", 302, undefined],
])("%s is a reply", (_what, status, location) => {
  expect(nextHop({ method: "get", target, headers: {} }, reply(status, location))).toBeUndefined();
});

test("to another origin go the harmless headers, as they were, and the body", () => {
  const harmless = {
    Accept: "a/b",
    "accept-language": "de",
    "cache-control": "no-cache",
    "content-language": "de",
    "content-type": "a/b",
    "idempotency-key": "k",
    "if-modified-since": "x",
    "if-none-match": "x",
    range: "bytes=0-1",
    "user-agent": "me",
  };
  const headers = { ...harmless, authorization: "x", cookie: "x", "x-api-key": "x", origin: "x" };
  const body = Buffer.from("x");

  const next = nextHop({ method: "put", target, headers, body }, reply(307, "http://b.example/"));

  expect(next).toMatchObject({ method: "put", headers: harmless, body });
  expect(Object.keys(next?.headers ?? {})).toEqual(Object.keys(harmless));
});
