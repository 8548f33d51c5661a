import { describe, expect, test } from "vitest";
import type { Json } from "./json.ts";
import { isNamed } from "./manifest.ts";
import { asSyscall, offerOf, syscallToolNamed, syscallTools } from "./syscall-tools.ts";
import { syscalls } from "./syscalls.ts";

const call = (tool: string, input: Json) => asSyscall(syscallToolNamed(tool)!, input);
const PID = "agt_01h";

test("a model that has read untrusted data is told that its fact is in quarantine", () => {
  const { result } = syscallToolNamed("memory.remember")!;

  expect(result(null, {})).toBe("remembered");
  expect(result({ quarantined: true }, {})).toContain("kept in quarantine");
});

describe("SYSCALL-TOOLS-1: a tool is another spelling of one system call", () => {
  test.each<[string, Json, string, Json]>([
    ["agent.spawn", { agent: "a", input: 1 }, "spawn", { agent: "a", input: 1 }],
    ["agent.wait", { pid: PID }, "wait", { pid: PID }],
    ["memory.read", { path: "/mem/working/a" }, "read", { path: "/mem/working/a" }],
    ["memory.write", { path: "/m", value: [1] }, "write", { path: "/m", data: [1] }],
    ["memory.list", { path: "/mem" }, "list", { path: "/mem" }],
    [
      "memory.search",
      { path: "/mem", query: "x", limit: 3 },
      "search",
      { path: "/mem", query: "x", limit: 3 },
    ],
    ["memory.remove", { path: "/mem/a" }, "remove", { path: "/mem/a" }],
    [
      "memory.remember",
      { text: "The port is 9443", subject: "Gateway's port" },
      "write",
      {
        path: "/mem/semantic/facts/gateway-port/a0e77295e5cf47ed",
        data: {
          kind: "fact",
          text: "The port is 9443",
          subject: "Gateway's port",
          source: "agent",
          confidence: 0.8,
        },
      },
    ],
    [
      "memory.recall",
      { question: "which port" },
      "search",
      { path: "/mem/semantic", query: "which port", limit: 8 },
    ],
    [
      "memory.recall",
      { question: "deploy", about: "episodes", limit: 2, replaced: true },
      "search",
      { path: "/mem/episodic", query: "deploy", limit: 2, replaced: true },
    ],
    [
      "memory.forget",
      { path: "/mem/semantic/facts/gateway-port/0a" },
      "remove",
      { path: "/mem/semantic/facts/gateway-port/0a" },
    ],
    ["message.send", { to: PID, body: {} }, "send", { to: PID, body: {} }],
    ["message.receive", {}, "receive", {}],
    [
      "message.request",
      { to: PID, body: 1, type: "t" },
      "request",
      { to: PID, body: 1, type: "t" },
    ],
    ["message.publish", { topic: "t", body: null }, "publish", { topic: "t", body: null }],
    ["message.subscribe", { topic: "t" }, "subscribe", { topic: "t" }],
    [
      "context.read",
      { archive: 3, offset: 7 },
      "read",
      { path: "/ctx/archive/3", offset: 7, length: 8000 },
    ],
    [
      "context.ask",
      { question: "x", collection: "docs" },
      "search",
      { path: "/mem/shared/docs", query: "x", limit: 60, unit: "passage" },
    ],
    ["context.search", { query: "x" }, "search", { path: "/ctx/archive", query: "x", limit: 5 }],
    [
      "context.search",
      { query: "x", archive: 2, limit: 1 },
      "search",
      { path: "/ctx/archive/2", query: "x", limit: 1 },
    ],
    ["person.ask", { question: "?" }, "ask", { question: "?" }],
    [
      "person.propose",
      { question: "?", capabilities: ["tool:pay:call"] },
      "ask",
      { question: "?", propose: ["tool:pay:call"] },
    ],
    [
      "agent.create",
      { manifest: { name: "helper" }, input: 1 },
      "spawn",
      { manifest: { apiVersion: "aos/v1", kind: "Agent", name: "helper" }, input: 1 },
    ],
    [
      "result.read",
      { path: "/self/results/ab" },
      "read",
      { path: "/self/results/ab", offset: 0, length: 20_000 },
    ],
    ["skill.read", { name: "a-b" }, "read", { path: "/skills/a-b/SKILL.md", length: 30_000 }],
    [
      "skill.read",
      { name: "a", file: "./references/x.md", offset: 5 },
      "read",
      { path: "/skills/a/references/x.md", offset: 5, length: 30_000 },
    ],
  ])("%s %j", (tool, input, name, args) => {
    expect(call(tool, input)).toEqual({ name, args });
    expect(syscalls[name as keyof typeof syscalls].args.safeParse(args).success).toBe(true);
  });

  test("every one of them is tried above", () => {
    const tried = new Set([
      ..."agent.spawn agent.wait memory.read memory.write memory.list memory.search".split(" "),
      ..."memory.remember memory.recall memory.forget agent.create person.propose".split(" "),
      ..."memory.remove message.send message.receive message.request message.publish".split(" "),
      ..."message.subscribe context.ask context.read context.search person.ask result.read skill.read".split(
        " ",
      ),
    ]);

    expect(new Set(syscallTools.map(({ name }) => name))).toEqual(tried);
  });
});

describe("SYSCALL-TOOLS-2: arguments that do not fit are told", () => {
  test.each<[string, Json, string]>([
    ["agent.spawn", { input: 1 }, "agent"],
    ["agent.wait", { pid: "7" }, "pid"],
    ["agent.wait", { pid: PID, until: 1 }, "until"],
    ["memory.read", { path: "mem" }, "path"],
    ["memory.remember", { text: " " }, "text"],
    ["memory.remember", { text: "a", confidence: 2 }, "confidence"],
    ["memory.remember", { text: "a", replaces: "../../shared/x" }, "SUBJECT/ID of a fact"],
    ["memory.forget", { path: "/mem/episodic/tasks/agt_1" }, "the path of a fact"],
    ["memory.forget", { path: "/mem/semantic/facts/../x" }, "the path of a fact"],
    ["result.read", { path: "/mem/working/x" }, "path"],
    ["result.read", { path: "/self/results/x", length: 10_000_000 }, "length"],
    ["skill.read", { name: "../x" }, "the name of a skill"],
    ["message.send", "hello", "object"],
  ])("%s %j", (tool, input, word) => {
    expect(() => call(tool, input)).toThrow(
      expect.objectContaining({ code: "EINVAL", message: expect.stringContaining(word) }),
    );
    expect(() => call(tool, input)).toThrow(`${tool}: `);
  });
});

test("a model is shown a plain schema of what may be given", () => {
  expect(offerOf(syscallToolNamed("agent.wait")!)).toEqual({
    name: "agent.wait",
    description: "Wait until an agent that was started has ended, and get its result.",
    input: {
      type: "object",
      properties: { pid: expect.objectContaining({ type: "string" }) },
      required: ["pid"],
      additionalProperties: false,
    },
  });
  const { input } = offerOf(syscallToolNamed("result.read")!) as { input: Json };
  expect((input as { required: Json }).required).toEqual(["path"]); // what has a default need not be given
});

test("no other name is one", () => {
  expect(syscallToolNamed("file.read")).toBeUndefined();
  expect(syscallToolNamed("constructor")).toBeUndefined();
});

test("a name is in a list as it is, or by its beginning", () => {
  expect(isNamed("git.diff", ["git.*"])).toBe(true);
  expect(isNamed("git.diff", ["*"])).toBe(true);
  expect(isNamed("git.diff", ["git", "git.", "git.dif", "git.diff.x", "g*t"])).toBe(false);
  expect(isNamed("git.diff", [])).toBe(false);
});
