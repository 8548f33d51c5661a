import { expect, test } from "vitest";
import { hostProblem, isForeign, isAmbiguousPath } from "./guard.ts";

test.each(["127.0.0.1", "127.0.0.1:4040", "[::1]:4040", "localhost", "LOCALHOST:1", "box.example"])(
  "GATEWAY-GUARD-1: %s is ours",
  (host) => expect(hostProblem(host, ["box.example"])).toBeUndefined(),
);

test.each([
  undefined,
  "",
  "evil.example",
  "localhost.evil.example",
  "box.example.evil",
  "a b",
  "[x]",
])("GATEWAY-GUARD-1: %s is not", (host) =>
  expect(hostProblem(host, ["box.example"])).toBeDefined(),
);

const asked = { host: "localhost:1", origin: undefined, site: undefined, mode: undefined };

test.each([
  [{ ...asked }, false],
  [{ ...asked, origin: "http://localhost:1" }, false],
  [{ ...asked, origin: "https://localhost:1" }, false],
  [{ ...asked, origin: "http://localhost:2" }, true],
  [{ ...asked, origin: "ftp://localhost:1" }, true],
  [{ ...asked, origin: "null" }, true],
  [{ ...asked, origin: "" }, true],
  [{ ...asked, site: "same-origin", mode: "cors" }, false],
  [{ ...asked, site: "none", mode: "navigate" }, false],
  [{ ...asked, site: "cross-site", mode: "navigate" }, false],
  [{ ...asked, site: "cross-site", mode: "no-cors" }, true],
  [{ ...asked, site: "same-site", mode: "cors" }, true],
])("GATEWAY-GUARD-2: %j is foreign: %s", (origins, foreign) => {
  expect(isForeign(origins, { isTls: false })).toBe(foreign);
});

test("GATEWAY-GUARD-2: with TLS a page without it is another's", () => {
  expect(isForeign({ ...asked, origin: "http://localhost:1" }, { isTls: true })).toBe(true);
});

test.each([
  ["/api/v1/status?x=%2f..", false],
  ["http://localhost:1/api/v1/status", false],
  ["/a%20b", false],
  ["/.well-known/x", false],
  ["/a/../b", true],
  ["/a/%2E%2e/b", true],
  ["/a%2fb", true],
  ["/a%5Cb", true],
  ["/a%0ab", true],
  ["//a", true],
  ["/%ff", true],
])("GATEWAY-GUARD-4: %s is tricky: %s", (url, tricky) => expect(isAmbiguousPath(url)).toBe(tricky));
