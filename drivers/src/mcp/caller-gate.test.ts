import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { callerContext } from "./caller-gate.ts";
import type { StdioDeclaration } from "./declaration.ts";

const declaration: StdioDeclaration = {
  kind: "stdio",
  name: "s",
  declaredIn: "/p/.agents/mcp.yaml",
  isOperators: false,
  command: ["x"],
  env: {},
  paths: [],
  within: "/p",
  hosts: ["a.example"],
  deny: [],
  effects: {},
  trustsAnnotations: false,
  trustsDescriptions: false,
};
const never = new AbortController().signal;
const at = (host: string) => ({ kind: "http", resource: `${host}:443/`, verb: "get" });

test("CALLER-GATE-1: without a call under way nothing is reached", () => {
  const gate = callerContext(declaration, never, new Set());

  expect(gate.permits(at("a.example"))).toBe(false);
  expect(() => gate.authorize(at("a.example"))).toThrow(/outside of a call/);
  expect(gate.granted("http")).toEqual([]);
});

test("CALLER-GATE-2: what the declaration names and the process may reach, and nothing else", () => {
  const may = deviceContextForTest();
  const mayNot = deviceContextForTest({ grants: () => false });

  const held = callerContext(declaration, never, new Set([may]));
  const bare = callerContext(declaration, never, new Set([mayNot]));

  held.authorize(at("a.example"));

  expect(held.permits(at("a.example"))).toBe(true);
  expect(held.permits(at("b.example"))).toBe(false);
  expect(() => held.authorize(at("b.example"))).toThrow(/may not/);
  expect(bare.permits(at("a.example"))).toBe(false);
  expect(() => bare.authorize(at("a.example"))).toThrow();
  expect(may.asked.map(({ resource }) => resource)).toContain("a.example:443/");
});
