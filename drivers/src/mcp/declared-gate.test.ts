import { describe, expect, test } from "vitest";
import type { StdioDeclaration } from "./declaration.ts";
import { declaredContext, readDeclaredHost } from "./declared-gate.ts";

const declaration = (hosts: string[], isOperators = true): StdioDeclaration => ({
  kind: "stdio",
  name: "one",
  declaredIn: "a test",
  isOperators,
  hosts,
  deny: [],
  effects: {},
  trustsAnnotations: false,
  trustsDescriptions: false,
  command: ["true"],
  env: {},
  paths: [],
});

const { signal } = new AbortController();
const http = (resource: string) => ({ kind: "http", resource, verb: "get" });

test("a host is a name or an address, with its port", () => {
  expect(readDeclaredHost("a.example")).toEqual({ host: "a.example", port: 443 });
  expect(readDeclaredHost("[::1]:80")).toEqual({ host: "[::1]", port: 80 });
  for (const text of ["", "*", "A.example", "a.example/x", "a.example:0", "a.example:70000", "a b"])
    expect(readDeclaredHost(text)).toBeUndefined();
});

describe("what stands in for a process", () => {
  test("DECLARED-GATE-1: may reach declared hosts, by name and port, and nothing else", () => {
    const context = declaredContext(declaration(["a.example", "b.example:8443"]), signal);

    context.authorize(http("a.example:443/x"));
    context.authorize(http("b.example:8443/"));
    for (const resource of ["a.example:80/", "b.example:443/", "c.example:443/", "10.0.0.1:443/"])
      expect(() => context.authorize(http(resource))).toThrow(/may not reach/);
    expect(context.permits({ kind: "file", resource: "a.example:443/", verb: "read" })).toBe(false);
    expect(context.granted("file")).toEqual([]);
  });

  test("DECLARED-GATE-2: of a project's server reaches nothing that is plainly not public", () => {
    const hosts = ["10.0.0.1", "localhost", "[::1]"];

    for (const host of hosts) {
      expect(declaredContext(declaration([host]), signal).permits(http(`${host}:443/`))).toBe(true);
      const context = declaredContext(declaration([host], false), signal);
      expect(context.permits(http(`${host}:443/`))).toBe(false);
    }
  });

  test("has no secrets, and asks nobody", async () => {
    const context = declaredContext(declaration([]), signal);

    expect(() => context.secret("A", { kind: "variable", tool: "x", variable: "A" })).toThrow();
    await expect(context.ask({ text: "?" })).rejects.toThrow();
  });
});
