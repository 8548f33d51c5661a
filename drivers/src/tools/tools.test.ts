import { type Json, SysError, type Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { deviceContextForTest } from "./device-context-for-test.ts";
import { builtInTools, defineTool } from "./index.ts";

const tool = (name: string): Tool => {
  const found = builtInTools.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
};

test("a tool shows its arguments as a JSON Schema, and says what does not fit", () => {
  const append = tool("file.append");

  expect(append.input).toMatchObject({ type: "object", required: ["path", "line"] });
  expect(append.refuses?.({ path: "/a", line: "b" })).toBeUndefined();
  expect(append.refuses?.({ path: "/a", line: "b", mode: 1 })).toContain('"mode"');
  expect(append.refuses?.({ path: "/a", line: "b\nc" })).toContain("one line");
  expect(append.refuses?.(null)).toContain("expected object");
});

test("T1: it never sees arguments that do not fit, nor runs after it was stopped", async () => {
  const ran: unknown[] = [];
  const touchy = defineTool({
    name: "touchy",
    version: "1",
    description: "",
    input: z.strictObject({ n: z.number() }),
    effect: "read",
    sinks: ({ n }) => (n > 1 ? ["egress"] : []),
    run: async (args) => {
      ran.push(args);
      return null;
    },
  });

  await expect(touchy.run({ n: "1" }, deviceContextForTest())).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining("touchy"),
  });
  await expect(
    touchy.run({ n: 1 }, deviceContextForTest({ signal: AbortSignal.abort() })),
  ).rejects.toMatchObject({ code: "EINTR" });
  expect(() => touchy.touches({})).toThrow(SysError);
  expect(() => touchy.sinks?.({})).toThrow(SysError);
  expect(touchy.sinks?.({ n: 2 })).toEqual(["egress"]);
  expect(ran).toEqual([]);
});

test("echo returns what it was given and touches nothing", async () => {
  expect(await tool("echo").run({ a: [1, null] }, deviceContextForTest())).toEqual({
    a: [1, null],
  });
  expect(tool("echo").touches({ a: 1 })).toEqual([]);
});

const path = "/a/b";
const url = "https://example.com/v1";
const declared: [name: string, args: Json, effect: string, sinks: string[], verb: string][] = [
  ["echo", {}, "read", [], ""],
  ["file.append", { path, line: "" }, "external", ["write"], "write"],
  ["file.list", { path }, "read", [], "list"],
  ["file.read", { path }, "read", [], "read"],
  ["file.remove", { path }, "idempotent", ["destructive"], "remove"],
  ["file.write", { path, text: "" }, "idempotent", ["write"], "write"],
  ["http.fetch", { url }, "read", ["egress"], "get"],
  ["http.send", { method: "post", url }, "external", ["egress"], "post"],
];

test("what each tool does to the world is declared", () => {
  const found = declared.map(([name, args]) => {
    const it = tool(name);
    return [name, args, it.effect, it.sinks?.(args), it.touches(args)[0]?.verb ?? ""];
  });

  expect(found).toEqual(declared);
  expect(builtInTools.map(({ name }) => name).sort()).toEqual(declared.map(([name]) => name));
});

test("what comes from outside is untrusted; what only says that it was done is not", () => {
  const trusted = builtInTools.filter(({ label }) => label?.integrity === "trusted");

  expect(trusted.map(({ name }) => name).sort()).toEqual([
    "echo",
    "file.append",
    "file.remove",
    "file.write",
  ]);
});
