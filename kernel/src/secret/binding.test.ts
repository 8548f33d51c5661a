import { expect, test } from "vitest";
import { type Binding, isBound, bindingMismatch, readBinding } from "./binding.ts";

const header = (origin: string, name = "Authorization"): Binding => ({
  kind: "header",
  origin,
  header: name,
});

const covers = (bound: string, origin: string): boolean =>
  isBound(
    readBinding(header(bound)),
    header(origin) as { kind: "header"; origin: string; header: string },
  );

test("BINDING-1: a host means https and its usual port; http and another port are written out", () => {
  for (const written of ["api.github.com", "API.github.com", "https://api.github.com:443"])
    expect(readBinding(header(written))).toMatchObject({ origin: "https://api.github.com" });
  expect(readBinding(header("http://127.0.0.1:8080"))).toMatchObject({
    origin: "http://127.0.0.1:8080",
  });
  expect(covers("api.github.com", "https://api.github.com")).toBe(true);
  for (const other of [
    "http://api.github.com",
    "https://api.github.com:8443",
    "https://github.com",
    "https://api.github.com.evil.example",
    "https://evil.example",
  ])
    expect(covers("api.github.com", other)).toBe(false);
});

test("BINDING-2: a star covers names below a domain and nothing else", () => {
  for (const name of ["https://a.example.com", "https://a.b.example.com"])
    expect(covers("*.example.com", name)).toBe(true);
  for (const name of [
    "https://example.com",
    "https://evilexample.com",
    "https://.example.com",
    "https://*.example.com",
    "http://a.example.com",
    "https://a.example.com:444",
    "https://a.example.com.evil.org",
  ])
    expect(covers("*.example.com", name)).toBe(false);
  expect(covers("http://*.example.com:81", "http://a.example.com:81")).toBe(true);
});

test("BINDING-3: another spelling of a place is not bound", () => {
  for (const name of [
    "https://API.github.com",
    "https://api.github.com/",
    "https://api.github.com:443",
    "https://x@api.github.com",
    "api.github.com",
  ])
    expect(covers("api.github.com", name)).toBe(false);
  for (const name of [
    "https://A.example.com",
    "https://a.example.com/",
    "https://x/.example.com",
    "https://u@a.example.com",
  ])
    expect(covers("*.example.com", name)).toBe(false);
});

test("a header is known in any case, and another header is not bound", () => {
  const bound = readBinding({ ...header("a.example"), prefix: "Bearer " } as Binding);

  expect(bound).toEqual({
    kind: "header",
    origin: "https://a.example",
    header: "authorization",
    prefix: "Bearer ",
  });
  expect(
    isBound(bound, { kind: "header", origin: "https://a.example", header: "AUTHORIZATION" }),
  ).toBe(true);
  expect(isBound(bound, { kind: "header", origin: "https://a.example", header: "x-key" })).toBe(
    false,
  );
});

test("a variable is bound to its tool, and to no header", () => {
  const bound = readBinding({ kind: "variable", tool: "shell.git", variable: "GH_TOKEN" });

  expect(isBound(bound, { kind: "variable", tool: "shell.git", variable: "GH_TOKEN" })).toBe(true);
  expect(isBound(bound, { kind: "variable", tool: "shell.curl", variable: "GH_TOKEN" })).toBe(
    false,
  );
  expect(isBound(bound, { kind: "variable", tool: "shell.git", variable: "PATH" })).toBe(false);
  expect(isBound(bound, { kind: "header", origin: "https://a.example", header: "GH_TOKEN" })).toBe(
    false,
  );
});

test("what cannot be a binding is refused", () => {
  const bad: Binding[] = [
    ...[
      "",
      "*",
      "*.com",
      "*.1.2.3.4",
      "*.[::1]",
      "a/b",
      "https://a@b.c",
      "a b",
      "ftp://a.b",
      "a.*.b",
      "a.b.",
      "a.b:99999",
      "a?x",
      "münchen.de",
    ].map((origin) => header(origin)),
    header("a.b", ""),
    header("a.b", "X Y"),
    header("a.b", "x:y"),
    { kind: "header", origin: "a.b", header: "x", prefix: "a\r\nb: c" },
    { kind: "header", origin: "a.b", header: "x", prefix: "x".repeat(65) },
    { kind: "variable", tool: "", variable: "A" },
    { kind: "variable", tool: "a b", variable: "A" },
    { kind: "variable", tool: "a", variable: "A=B" },
    { kind: "variable", tool: "a", variable: "1A" },
  ];

  for (const binding of bad)
    expect(() => readBinding(binding), JSON.stringify(binding)).toThrow(
      expect.objectContaining({ code: "EINVAL" }),
    );
});

test("a value that would end a header's line does not fit one", () => {
  const bound = header("https://a.example");
  const variable: Binding = { kind: "variable", tool: "a", variable: "A" };

  expect(bindingMismatch(bound, "abc\r\nX: y")).toMatch("header");
  expect(bindingMismatch(bound, "abc€")).toMatch("header");
  expect(bindingMismatch(bound, "abc def")).toBeUndefined();
  expect(bindingMismatch(variable, "a\nb")).toBeUndefined();
  expect(bindingMismatch(variable, "a\0b")).toMatch("NUL");
});
