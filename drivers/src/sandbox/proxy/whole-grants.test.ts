import { describe, expect, test } from "vitest";
import { METHODS, wholeUntil } from "./whole-grants.ts";

const until = (host: string, port: number, ...patterns: string[]) =>
  wholeUntil(
    patterns.map((pattern) => ({ pattern, verbs: METHODS })),
    { host, port },
  );

describe("a grant is whole", () => {
  test.each([
    ["the host", "a.example", 443, "a.example/**"],
    ["the host without a path", "a.example", 443, "a.example"],
    ["a port that is named", "a.example", 8443, "a.example:8443/**"],
    ["a name below a star", "x.y.a.example", 443, "*.a.example/**"],
    ["any name", "a.example", 443, "*/**"],
    ["an address that is named", "10.0.0.7", 443, "10.0.0.7/**"],
    ["an address in brackets", "[::1]", 8443, "[::1]:8443/**"],
    ["localhost that is named", "localhost", 443, "localhost/**"],
  ])("%s", (_what, host, port, pattern) => {
    expect(until(host, port, pattern)).toBe(Infinity);
  });
});

describe("a grant is not whole", () => {
  test.each([
    ["a path", "a.example", 443, "a.example/v1/**"],
    ["one segment", "a.example", 443, "a.example/*"],
    ["what ends in anything", "a.example", 443, "a.example/**/*"],
    ["the top", "a.example", 443, "a.example/"],
    ["another host", "a.example", 443, "b.example/**"],
    ["the host as the end of another", "evila.example", 443, "a.example/**"],
    ["the star's own domain", "a.example", 443, "*.a.example/**"],
    ["the star's domain as the end of another", "evila.example", 443, "*.a.example/**"],
    ["the port of plain HTTP", "a.example", 80, "a.example/**"],
    ["another port", "a.example", 8443, "a.example/**"],
    ["the usual port, where another is named", "a.example", 443, "a.example:8443/**"],
    ["an address below a star", "10.0.0.7", 443, "*/**"],
    ["the end of an address", "10.0.0.7", 443, "*.0.0.7/**"],
    ["an address in brackets below a star", "[::1]", 443, "*/**"],
    ["localhost below a star", "localhost", 443, "*/**"],
    ["a name below localhost", "x.localhost", 443, "*.localhost/**"],
    ["what is no pattern", "a.example", 443, ""],
  ])("%s", (_what, host, port, pattern) => {
    expect(until(host, port, pattern)).toBeUndefined();
  });

  test("a grant of some methods is not whole", () => {
    const some = METHODS.filter((method) => method !== "patch");
    const held = [{ pattern: "a.example/**", verbs: some }];

    expect(wholeUntil(held, { host: "a.example", port: 443 })).toBeUndefined();
  });
});

test("several grants together are whole, until the first of them ends", () => {
  const target = { host: "a.example", port: 443 };
  const reading = { pattern: "a.example/**", verbs: ["get", "head", "options"], expiresAt: 7 };
  const writing = { pattern: "*.example/**", verbs: ["post", "put", "patch", "delete"] };

  expect(wholeUntil([reading, writing], target)).toBe(7);
  expect(wholeUntil([reading, { ...reading, expiresAt: 9 }, writing], target)).toBe(9);
  expect(wholeUntil([{ pattern: "a.example/**", verbs: ["*"], expiresAt: 5 }], target)).toBe(5);
});
