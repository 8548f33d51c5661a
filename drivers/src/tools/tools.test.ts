import { type Json, SysError, type Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { createTools, defineTool } from "./index.ts";

const builtInTools = createTools(undefined as never);

const PLACE = { workspace: { isCow: false } };

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

test("DEFINE-TOOL-1: it never sees arguments that do not fit, nor runs after it was stopped", async () => {
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
  expect(() => touchy.touches({}, PLACE)).toThrow(SysError);
  expect(() => touchy.sinks?.({}, PLACE)).toThrow(SysError);
  expect(touchy.sinks?.({ n: 2 }, PLACE)).toEqual(["egress"]);
  expect(ran).toEqual([]);
});

test("echo returns what it was given and touches nothing", async () => {
  expect(await tool("echo").run({ a: [1, null] }, deviceContextForTest())).toEqual({
    a: [1, null],
  });
  expect(tool("echo").touches({ a: 1 }, PLACE)).toEqual([]);
});

const path = "/a/b";
const url = "https://example.com/v1";
const edits = [{ old: "a", new: "b" }];
const score = { cell: 0, scorer: "s", command: ["jq"], files: {}, input: {}, timeoutMs: 1 };

const declared: [name: string, args: Json, effect: string, sinks: string[], verb: string][] = [
  ["browser.click", { text: "a" }, "external", ["egress"], ""],
  ["browser.fill", { selector: "a", value: "" }, "idempotent", ["egress"], ""],
  ["browser.navigate", { url }, "idempotent", ["egress"], "navigate"],
  ["browser.read", {}, "read", [], ""],
  ["browser.screenshot", {}, "read", [], ""],
  ["build.gcc", { sources: ["a.c"], into: "a" }, "external", ["write"], "exec"],
  ["build.run", {}, "external", ["write"], "exec"],
  ["document.convert", { from: "html", to: "plain" }, "external", ["write"], "exec"],
  ["echo", {}, "read", [], ""],
  ["eval.score", score, "read", [], "exec"],
  ["file.append", { path, line: "" }, "external", ["write"], "write"],
  ["file.edit", { path, edits }, "external", ["write"], "read"],
  ["file.grep", { path, text: "a" }, "read", [], "list"],
  ["file.list", { path }, "read", [], "list"],
  ["file.move", { from: path, to: path }, "external", ["destructive"], "read"],
  ["file.read", { path }, "read", [], "read"],
  ["file.read_many", { paths: [path] }, "read", [], "read"],
  ["file.remove", { path }, "idempotent", ["destructive"], "remove"],
  ["file.write", { path, text: "" }, "idempotent", ["write"], "write"],
  ["git.commit", { message: "m" }, "external", ["write"], "exec"],
  ["git.diff", {}, "read", [], "exec"],
  ["git.log", {}, "read", [], "exec"],
  ["git.status", {}, "read", [], "exec"],
  ["http.fetch", { url }, "read", ["egress"], "get"],
  ["http.send", { method: "post", url }, "external", ["egress"], "post"],
  ["json.jq", { filter: "." }, "read", [], "exec"],
  ["json.query", { query: "a", json: {} }, "read", [], ""],
  ["media.convert", { path: "a", into: "b" }, "external", ["write"], "exec"],
  ["shell.execute", { command: "ls" }, "external", ["write"], "exec"],
  ["text.ripgrep", { pattern: "a" }, "read", [], "exec"],
];

test("what each tool does to the world is declared", () => {
  const found = declared.map(([name, args]) => {
    const it = tool(name);
    return [name, args, it.effect, it.sinks?.(args, PLACE), it.touches(args, PLACE)[0]?.verb ?? ""];
  });
  expect(found).toEqual(declared);
  expect(builtInTools.map(({ name }) => name).sort()).toEqual(declared.map(([name]) => name));
});

test("a program reaches the network, and a user's own folder, only as what it is", () => {
  const own = { workspace: { folder: "/home/ada", isCow: false } };
  const copy = { workspace: { folder: "/home/ada", isCow: true } };
  const shell = (args: Json, place: typeof own) => tool("shell.execute").sinks?.(args, place);
  expect(shell({ command: "ls" }, own)).toEqual(["destructive"]);
  expect(shell({ command: "ls" }, copy)).toEqual(["write"]);
  expect(shell({ command: "ls", network: true }, copy)).toEqual(["egress", "write"]);
  expect(tool("build.run").sinks?.({ target: "install" }, copy)).toEqual(["egress", "write"]);
  expect(tool("git.commit").sinks?.({ message: "m" }, own)).toEqual(["destructive"]);
});

test.each([
  ["git status", "git"],
  [["/usr/bin/git", "status"], "git"],
  ["./git status", "/work/git"],
  [["/work/bin/git"], "/work/bin/git"],
  ["../usr/bin/git", "git"],
  ["git status | cat", "sh"],
  ["git status; rm -rf .", "sh"],
  ["$(id)", "sh"],
])("shell.execute of %j needs a grant for %s", (command, program) => {
  expect(tool("shell.execute").touches({ command }, PLACE)).toEqual([
    { kind: "shell", resource: program, verb: "exec" },
  ]);
});

test("what comes from outside is untrusted; what only says that it was done is not", () => {
  const trusted = builtInTools.filter(({ label }) => label?.integrity === "trusted");

  expect(trusted.map(({ name }) => name).sort()).toEqual([
    "echo",
    "file.append",
    "file.move",
    "file.remove",
    "file.write",
  ]);
});
