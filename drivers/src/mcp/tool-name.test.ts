import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { isMcpName, readToolName, toolNameFlaw, toolNameOf } from "./tool-name.ts";

test("TOOL-NAME-1: a name can be read back, whatever the server calls its tool", () => {
  assert(
    property(string({ unit: "grapheme", minLength: 1, maxLength: 40 }), (tool) => {
      const name = toolNameOf("one", tool);
      expect(name).toMatch(/^mcp\.one\.[A-Za-z0-9._~-]+$/);
      expect(readToolName(name)).toEqual({ server: "one", tool });
    }),
  );
});

test("a name that no tool could have is none", () => {
  for (const name of [
    "mcp.one",
    "mcp..x",
    "mcp.one.~zz",
    "mcp.one.~61",
    "file.read",
    "mcp.one.a b",
  ])
    expect(readToolName(name)).toBeUndefined();
  expect(isMcpName("mcp.one.x")).toBe(true);
  expect(isMcpName("mcpx.one")).toBe(false);
});

test("an empty, endless or broken name is refused", () => {
  expect(toolNameFlaw("")).toBeDefined();
  expect(toolNameFlaw("x".repeat(129))).toBeDefined();
  expect(toolNameFlaw("\ud800")).toBeDefined();
  expect(toolNameFlaw("x")).toBeUndefined();
});
