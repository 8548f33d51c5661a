import { describe, expect, test } from "vitest";
import { CapabilityError } from "./error.ts";
import { type CapabilityKind, kindRow } from "./kinds.ts";
import { compile, covers, matches, readTarget } from "./pattern.ts";

function hits(kind: CapabilityKind, pattern: string, resource: string): boolean {
  return matches(compile(kind, pattern), resource);
}

describe("paths", () => {
  test.each([
    ["/work/**", "/work", true],
    ["/work/**", "/work/a/b", true],
    ["/work/**", "/work-evil/a", false],
    ["/work/**", "/workx", false],
    ["/work/*", "/work/.env", true],
    ["/work/*", "/work/a/b", false],
    ["/work/*.ts", "/work/.ts", true],
    ["/work/a*b*a", "/work/aba", true],
    ["/work/ab*ba", "/work/aba", false],
    ["/**/secret/**", "/a/b/secret/c", true],
    ["/**/secret/**", "/a/b/secrets/c", false],
    ["/a/b/**/b/c", "/a/b/c", false],
    ["/a/b/**/b/c", "/a/b/x/b/c", true],
    ["/a/**/b/c/**/c/d", "/a/b/c/d", false],
    ["/a/**/b/c/**/c/d", "/a/b/c/c/d", true],
    ["/**/b", "/a/b/c", false],
    ["/a", "/a/a", false],
    ["/b", "/a/b", false],
    ["/Work/a", "/work/a", false],
    ["/", "/", true],
    ["*", "/any/thing", true],
    ["/a b/*", "/a b/c", true],
    ["/a:b", "/a:b", true],
  ])("%s on %s is %s", (pattern, resource, expected) => {
    expect(hits("file", pattern, resource)).toBe(expected);
  });

  test.each([
    "/work/../etc/passwd",
    "/work/./a",
    "/work//a",
    "/work/",
    "work/a",
    "",
    "/work/a\u0000",
    "/work/a\nb",
    "/work/\u202egpj",
    "/work/a\u200bb",
    "/work/cafe\u0301",
    "/work/\ud800",
    `/${"a/".repeat(300)}a`,
    `/work/${"a".repeat(5000)}`,
  ])("a resource that is not canonical is covered by nothing: %j", (resource) => {
    expect(hits("file", "/**", resource)).toBe(false);
  });
});

describe("names", () => {
  test.each([
    ["mcp.github.*", "mcp.github.issues.create", true],
    ["mcp.github.*", "mcp.github", false],
    ["mcp.github.*", "mcp.githubevil.x", false],
    ["mcp.*.read", "mcp.github.read", true],
    ["mcp.*.read", "mcp.a.b.read", false],
    ["mcp.*.read", "mcp.a/b.read", false],
    ["anthropic/*", "anthropic/claude-sonnet-4-5", true],
    ["openrouter/*", "openrouter/meta/llama3:8b", true],
    ["*", "anything.at/all", true],
    ["git,ls", "ls", true],
    ["git,ls", "lsof", false],
    ["/usr/bin/*", "/usr/bin/../../bin/sh", false],
    ["*", "..", false],
    ["*", "", false],
    ["git*", "git ", false],
    ["*", "/", false],
    ["*", "/a", true],
    ["*", "a/./b", false],
    ["*", "a/", false],
    ["a*", "a//b", false],
  ])("%s on %s is %s", (pattern, resource, expected) => {
    expect(hits("tool", pattern, resource)).toBe(expected);
  });
});

describe("hosts", () => {
  test.each([
    ["api.example.com", "api.example.com/any/path", true],
    ["api.example.com", "API.Example.com./x", true],
    ["api.example.com", "https://api.example.com/x", true],
    ["api.example.com", "api.example.com.evil.com/", false],
    ["api.example.com", "evil-api.example.com/", false],
    ["api.example.com", "api.example.com@evil.com/", false],
    ["api.example.com", "u:p@api.example.com/", false],
    ["api.example.com", "api.example.com:8443/", false],
    ["api.example.com", "api.example.com:443/", true],
    ["api.example.com:8443", "api.example.com:8443/", true],
    ["api.example.com:8443", "api.example.com/", false],
    ["api.example.com:443", "https://api.example.com/", true],
    ["api.example.com:443", "http://api.example.com/", false],
    ["api.example.com/v1/**", "api.example.com/v1/users/", true],
    ["api.example.com/v1/**", "api.example.com/v2", false],
    ["api.example.com/v1/**", "api.example.com/v1/../admin", false],
    ["api.example.com/v1/**", "api.example.com/v1/..%2fadmin", false],
    ["api.example.com/v1/**", "api.example.com/v1/%2E%2E/admin", false],
    ["api.example.com/v1/**", "api.example.com/v1\\..\\admin", false],
    ["api.example.com/v1/**", "api.example.com/v1/a?x=1", false],
    ["api.example.com/v1/**", "api.example.com/v1//a", false],
    ["*.example.com", "a.b.example.com/", true],
    ["*.example.com", "example.com/", false],
    ["*.example.com", "evilexample.com/", false],
    ["*.example.com", ".example.com/", false],
    ["*", "example.org/", true],
    ["*", "127.0.0.1/", false],
    ["*", "[::1]/", false],
    ["*", "0x7f.0x1/", false],
    ["*", "localhost/", false],
    ["*", "x.localhost/", false],
    ["127.0.0.1:8080", "http://127.0.0.1:8080/x", true],
    ["[::1]:8080", "[::1]:8080/x", true],
    ["localhost:3000", "localhost:3000", true],
    ["a.com,b.com/v1/*", "b.com/v1/x", true],
    ["a.com,b.com/v1/*", "b.com/v2/x", false],
    ["*", "ftp://example.org/", false],
    ["*", "/x", false],
    ["*", "a@evil.com/", false],
    ["*", "a;b.com/", false],
    ["*", "1.2.3.9/", false],
    ["*", "example.org/a#b", false],
    ["*", "example.org/a\\b", false],
    ["*", "example.org/a%20b", true],
    ["*", "z9-f_0.org:65535/", false],
    ["z9-f_0.org:65535", "z9-f_0.org:65535/", true],
    ["[fe80::9f]", "[fe80::9f]/", true],
    ["*", `${"a.".repeat(125)}org/`, true],
    ["*", `${"a.".repeat(126)}org/`, false],
    ["*", "example.org:99999/", false],
    ["*", "example.org//", false],
    ["*", "example.org/a//", false],
    ["example.org/a", "example.org/a/", true],
    ["example.org/", "example.org/", true],
    ["example.org/", "example.org", true],
    ["*", "a.2x/", false],
    ["*", "a.x2/", true],
    ["*.b", "a.b/", true],
    ["*", "ex\u00e4mple.org/", false],
    ["*", "\u212aelvin.org/", false],
  ])("%s on %s is %s", (pattern, resource, expected) => {
    expect(hits("http", pattern, resource)).toBe(expected);
  });
});

describe("a pattern that could mean more than it says is refused", () => {
  test.each<[CapabilityKind, string, number]>([
    ["file", "/a/{b,c}", 3],
    ["file", "!/a", 0],
    ["file", "/a/[bc]", 3],
    ["file", "/a/b?", 4],
    ["file", "/a/(b)", 3],
    ["file", "/a\\b", 2],
    ["file", "/a/%2e%2e", 3],
    ["file", "a/b", 0],
    ["file", "/a//b", 3],
    ["file", "/a/", 3],
    ["file", "/a/./b", 3],
    ["file", "/a/../b", 3],
    ["file", "/a/b**", 4],
    ["file", "/a/**b", 3],
    ["file", "/a/*a*a*a*a*", 3],
    ["file", "/**/a/**/b/**", 11],
    ["file", "/a\u0000", 2],
    ["file", "/a\u200b", 2],
    ["file", "/cafe\u0301", 4],
    ["file", "/a\ud800", 2],
    ["file", "/a /b", 1],
    ["file", `/${"a".repeat(256)}`, 1],
    ["file", `/a${"/a".repeat(256)}`, 0],
    ["file", `/${"a".repeat(4096)}`, 4096],
    ["file", "", 0],
    ["tool", "a b", 1],
    ["tool", "a,,b", 2],
    ["tool", "a,b,a", 4],
    ["tool", "a/../b", 0],
    ["tool", "a**", 1],
    ["tool", Array.from({ length: 65 }, (_, i) => `t${i}`).join(","), 0],
    ["http", "a*.x.com", 1],
    ["http", "api.*.com", 4],
    ["http", "*.", 0],
    ["http", "127.1", 0],
    ["http", "0x7f.0.0.1", 0],
    ["http", "2130706433", 0],
    ["http", "[0:0::1]", 0],
    ["http", "ex\u00e4mple.com", 0],
    ["http", "a.com:0", 6],
    ["http", "a.com:99999", 6],
    ["http", "a.com:65536", 6],
    ["http", "[::1", 0],
    ["http", "[::g]", 0],
    ["http", "/x", 0],
    ["http", "a;b.com", 0],
    ["http", "a.com:080", 6],
    ["http", "u@a.com", 0],
    ["http", "a.com/../x", 6],
    ["http", "a.com/x{y", 7],
    ["http", "a.com/x y", 7],
    ["http", "/x y", 2],
    ["http", "/x:y", 0],
    ["http", "a.com:1.5", 6],
    ["http", "a.com:-1", 6],
    ["http", "a.com:", 6],
    ["http", "*.*.com", 2],
    ["http", "*.127.1", 0],
    ["http", "a.com.", 0],
    ["http", "\u212aelvin.org", 0],
  ])("%s %j at %i", (kind, pattern, at) => {
    const error = caught(() => compile(kind, pattern));

    expect(error).toBeInstanceOf(CapabilityError);
    expect((error as CapabilityError).at).toBe(at);
  });
});

test("a pattern of one shape covers nothing of another", () => {
  const shapes = { file: "/a", http: "a.com", tool: "a" } as const;
  const kinds = Object.keys(shapes) as (keyof typeof shapes)[];
  const covered = kinds.map((of) =>
    kinds.map((kind) => {
      const target = readTarget(kindRow(kind).shape, shapes[kind]);
      return target !== null && covers(compile(of, "*"), target);
    }),
  );

  expect(covered).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ]);
});

test.each([
  ["127.1", "write 127.0.0.1"],
  ["[0:0::1]", "write [::1]"],
  ["1.2.3.4.5", "not a host\n"],
  ["a..com", "not a host name"],
])("a host is refused with how it is written, where it can be: %s", (pattern, message) => {
  expect(() => compile("http", pattern)).toThrow(message);
});

test.each([
  "[::1",
  "[::g]",
  "[::1]x",
  "x[::1]",
  ".a.com",
  "a.com..",
  "a..com",
  ".",
  "a{.com",
  "a`.com",
  "a@.com",
  "a:b:80",
  "a.com:99999",
  "a.com:x",
  "a.com/x?y",
  "a.com/x#y",
  "a.com/x\\y",
  "a.com/x%00",
  "a.com/x%5Cy",
  "a.com/%2ey",
  "",
  "/",
  "https://",
])("a place that is not canonical is none: %s", (resource) => {
  expect(readTarget("host", resource)).toBeNull();
});

test("a place is read as its host, its port where one is said, and its path", () => {
  const places = ["A.com", "http://a.com./x/", "https://a.com/", "https://a.com:8/x", "[::F]:80"];

  expect(places.map((place) => readTarget("host", place))).toEqual([
    { shape: "host", host: { host: "a.com", port: 0, path: [] } },
    { shape: "host", host: { host: "a.com", port: 80, path: ["x"] } },
    { shape: "host", host: { host: "a.com", port: 443, path: [] } },
    { shape: "host", host: { host: "a.com", port: 8, path: ["x"] } },
    { shape: "host", host: { host: "[::f]", port: 80, path: [] } },
  ]);
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
