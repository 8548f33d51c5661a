import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLocation, readUrl, touchOf } from "./url.ts";

const refusals: [rule: string, urls: string[]][] = [
  [
    "URL-1 scheme",
    [
      "file:///etc/passwd",
      "javascript:1",
      "//host/",
      "http:host",
      "http:/host",
      "ftp://h/",
      "http:///host",
      "http://",
      "host",
      "",
      "data:,x",
      "ws://h/",
    ],
  ],
  [
    "URL-1 user",
    [
      "http://api.example.com@evil.com/",
      "http://u:p@evil.com/",
      "http://@evil.com/",
      "http://evil.com:80@x/",
    ],
  ],
  [
    "URL-1 white space",
    [
      "http://evil.com /",
      "http://ev\til.com/",
      "http://evil.com/\n",
      " http://evil.com/",
      "http://evil.com/a b",
      "http://evil.com/\u00a0",
      "http://evil.com/\u0000",
      "http://evil.com/\u2028",
    ],
  ],
  [
    "URL-1 backslash",
    ["http://evil.com\\@api.example.com/", "http://api.example.com/a\\..\\b", "http:\\\\evil.com/"],
  ],
  [
    "URL-1 host",
    [
      "http://example.com%2eevil.com/",
      "http://ⓔxample.com/",
      "http://exa\u00admple.com/",
      "http://аpple.com/",
      "http://１２７.0.0.1/",
      "http://①②⑦.⓪.⓪.①/",
      "http://a..b/",
      "http://.a/",
      "http://a../",
      "http://./",
      "http://[::1%25eth0]/",
      "http://[::1/",
      "http://::1/",
      "http://a_b!/",
      `http://${"a".repeat(64)}.com/`,
    ],
  ],
  [
    "URL-2 address",
    [
      "http://2130706433/",
      "http://0x7f.1/",
      "http://0x7f000001/",
      "http://0177.0.0.1/",
      "http://127.1/",
      "http://127.0.1/",
      "http://1.2.3.4.5/",
      "http://256.1.1.1/",
      "http://1.2.3.08/",
      "http://[0:0:0:0:0:0:0:1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://a.0x10/",
      "http://[::g]/",
    ],
  ],
  [
    "URL-2 port",
    [
      "http://h:/",
      "http://h:0/",
      "http://h:080/",
      "http://h:65536/",
      "http://h:8a/",
      "http://h:-1/",
      "http://h:1e3/",
      "http://h:80:80/",
    ],
  ],
  [
    "URL-3 path",
    [
      "http://h/v1/../admin",
      "http://h/./a",
      "http://h/a/..",
      "http://h//a",
      "http://h/a//",
      "http://h/v1/..;/admin",
      "http://h/.;x=1/a",
      "http://h/v1/..%2fadmin",
      "http://h/%2e%2e/a",
      "http://h/a%5Cb",
      "http://h/a%00",
      "http://h/%zz",
      "http://h/%",
    ],
  ],
  ["length", [`http://h/${"a".repeat(8192)}`]],
];

describe("a URL is refused", () => {
  for (const [rule, urls] of refusals) {
    test.each(urls)(`${rule}: %j`, (url) => {
      expect(() => readUrl(url)).toThrow(expect.objectContaining({ code: "EINVAL" }));
    });
  }
});

test.each([
  ["http://u@h/", "names a user"],
  ["http://a%2eb/", "encoded character"],
  ["http://127.1/", "written 127.0.0.1"],
  ["http://a b/", "white space"],
  ["gopher://a/", "must begin with"],
])("the refusal of %s says why", (url, why) => {
  expect(() => readUrl(url)).toThrow(why);
});

test.each([
  ["http://example.com", "example.com:80/", "http://example.com/"],
  ["https://example.com", "example.com:443/", "https://example.com/"],
  ["HTTPS://API.Example.COM/V1", "api.example.com:443/V1", "https://api.example.com/V1"],
  ["https://api.example.com./v1/", "api.example.com:443/v1/", "https://api.example.com/v1/"],
  ["http://h:8080/a?b=../c&d=%2f#frag", "h:8080/a", "http://h:8080/a?b=../c&d=%2f"],
  ["http://127.0.0.1:80/", "127.0.0.1:80/", "http://127.0.0.1/"],
  ["http://[::1]:8080/x", "[::1]:8080/x", "http://[::1]:8080/x"],
  ["http://h/é", "h:80/%C3%A9", "http://h/%C3%A9"],
  ["http://h/...;a/..b", "h:80/...;a/..b", "http://h/...;a/..b"],
])("URL-4: %s is asked about as %s, and sent as %s", (text, resource, url) => {
  const target = readUrl(text);

  expect(touchOf(target, "get")).toEqual({ kind: "http", resource, verb: "get" });
  expect(target.url).toBe(url);
  expect(`${target.origin}${target.path}${target.query}`).toBe(url);
});

test("URL-4: what is taken is read in the same way by the URL standard", () => {
  const part = fc.constantFrom(
    "a",
    ".",
    "..",
    "%2e",
    "%41",
    ";",
    "@",
    ":",
    "/",
    "?",
    "#",
    "[",
    "é",
    "127.1",
    "1.2.3.4",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = `http://${parts.join("")}`;
      let target;
      try {
        target = readUrl(text);
      } catch {
        return;
      }
      const standard = new URL(text);
      expect(standard.username + standard.password).toBe("");
      expect(standard.hostname.replace(/\.$/, "")).toBe(target.host);
      expect(standard.pathname).toBe(target.path);
      expect(Number(standard.port || 80)).toBe(target.port);
    }),
    { numRuns: 2000 },
  );
});

describe("a redirect", () => {
  const from = readUrl("https://api.example.com/v1/a?x=1");

  test.each([
    ["/b", "https://api.example.com/b"],
    ["b", "https://api.example.com/v1/b"],
    ["../b?c", "https://api.example.com/b?c"],
    ["?y", "https://api.example.com/v1/a?y"],
    ["//other.example/x", "https://other.example/x"],
    ["http://other.example:81/x", "http://other.example:81/x"],
  ])("to %s leads to %s", (location, url) => {
    expect(readLocation(location, from).url).toBe(url);
  });

  test.each([
    "/\\evil.com",
    "\\\\evil.com",
    "http:evil.com",
    "javascript:1",
    "//u@evil.com/",
    "http://2130706433/",
    "http://169.254.43518/",
    "/a\tb",
    "..%2f",
    "//[::ffff:127.0.0.1]/",
    "file:///etc/passwd",
  ])("to %j is refused", (location) => {
    expect(() => readLocation(location, from)).toThrow(expect.objectContaining({ code: "EACCES" }));
  });
});
