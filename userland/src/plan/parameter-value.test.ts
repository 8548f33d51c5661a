import { expect, test } from "vitest";
import { grantedResource, urlHost, workPath } from "./parameter-value.ts";

test.each([
  ["notes.md", "/work/notes.md"],
  ["/work/a b/ü_@+=~.md", "/work/a b/ü_@+=~.md"],
  ["/work", "/work"],
])("PARAMETER-VALUE-1: %j is %s", (written, value) => {
  expect(workPath(written)).toEqual({ value });
});

test.each([
  "/etc/passwd",
  "/workspace/x",
  "../x",
  "/work/a/../../etc",
  "./x",
  "a//b",
  "/work/",
  "*",
  "a?",
  "a[1]",
  "a,/etc/b",
  "{output}",
  "a:write",
  "a\\b",
  "a\nb",
  "a\0b",
  "a\u202eb",
  "\u212b.md", // the sign of Ångström, and not the letter
  "a /b",
  " a",
  "x".repeat(256),
])("PARAMETER-VALUE-1: %j is no path of a plan", (written) => {
  expect(workPath(written)).toEqual({ flaw: expect.any(String) });
});

test.each([
  ["https://Example.com/a?b#c", "example.com"],
  ["http://a-b.example:08080/", "a-b.example:8080"],
])("PARAMETER-VALUE-2: %s is of the host %s", (written, value) => {
  expect(urlHost(written)).toEqual({ value });
});

test.each([
  "ftp://example.com/",
  "//example.com/",
  "https://user@example.com/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://[::1]/",
  "https://example.com\\@evil.example/",
  "https://*.example.com/",
  "https://example..com/",
  "https://-a.example/",
  "https://xn--e1afmkfd.example/",
  "https://exаmple.com/",
  "https://example.com./",
  "https://example.com/a b",
  "https://{url}/",
])("PARAMETER-VALUE-2: %s is no plain URL", (written) => {
  expect(urlHost(written)).toEqual({ flaw: expect.any(String) });
});

test.each(["*", "a,b", "a:call", "a/b", "{x}", "", "..", "a..b", "-a", "a b", "x".repeat(101)])(
  "PARAMETER-VALUE-3: %j is no name in a capability",
  (written) => {
    expect(grantedResource("tool", written)).toEqual({ flaw: expect.any(String) });
    expect(grantedResource("tool", "file.read")).toEqual({ value: "file.read" });
  },
);
