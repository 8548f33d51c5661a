import type { Json, SyscallName } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { narrow, narrowAgain, narrowingOf, narrowingField } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";
import { refuseNarrowed } from "./allowed-tools.ts";
import {
  actionOf,
  devicesOf,
  processOf,
  testProcessRow,
  thrownBy,
  toolOf,
} from "../../../tests/helpers/kernel/process.ts";
import { describe as describeCall } from "./action.ts";

const held = (...tools: string[]): Process => {
  const process = processOf({});
  narrow(process, "s", tools);
  return process;
};

const isRefused = (process: Process, call: SyscallName, args: Json): boolean => {
  try {
    refuseNarrowed(process, call, args);
    return false;
  } catch {
    return true;
  }
};

test.each(["context.read", "result.read", "skill.read"])(
  "ALLOWED-TOOLS-2: %s reads what is the process's own, and allows no other read",
  (tool) => {
    expect(isRefused(held(tool), "read", { path: "/mem/working/a" })).toBe(true);
  },
);

test("ALLOWED-TOOLS-2: context.search allows no other search", () => {
  expect(isRefused(held("context.search"), "search", { path: "/mem", query: "x" })).toBe(true);
});

describe("ALLOWED-TOOLS-1: each call is held as the tool that models know it by", () => {
  test.each<[string, SyscallName, Json]>([
    ["web.get", "exec", { tool: "web.get", args: {} }],
    ["agent.spawn", "spawn", { agent: "a" }],
    ["agent.wait", "wait", { pid: "agt_1" }],
    ["memory.read", "read", { path: "/mem/working/a" }],
    ["memory.read", "read", { fd: 3 }],
    ["memory.read", "open", { path: "/mem/working/a" }],
    ["memory.write", "open", { path: "/mem/working/a", mode: "append" }],
    ["memory.write", "write", { path: "/mem/working/a" }],
    ["memory.list", "list", { path: "/mem" }],
    ["memory.search", "search", { path: "/mem", query: "x" }],
    ["memory.remove", "remove", { path: "/mem/a" }],
    ["memory.remember", "write", { path: "/mem/semantic/facts/a/b" }],
    ["memory.recall", "search", { path: "/mem/semantic", query: "x" }],
    ["memory.recall", "search", { path: "/mem/episodic", query: "x" }],
    ["memory.recall", "search", { path: "/mem/semantic", also: ["/mem/shared"], query: "x" }],
    ["memory.forget", "remove", { path: "/mem/semantic/facts/a/b" }],
    ["context.ask", "search", { path: "/mem/shared/docs", query: "x" }],
    ["message.send", "send", { to: "agt_1" }],
    ["message.request", "request", { to: "agt_1" }],
    ["message.receive", "receive", {}],
    ["message.publish", "publish", { topic: "t" }],
    ["message.subscribe", "subscribe", { topic: "t" }],
    ["person.ask", "ask", { question: "?" }],
    ["memory.read", "read", { path: "/skillsmith/a" }],
    ["memory.read", "read", { path: "/selfish" }],
    ["memory.write", "write", { path: "/skills/a" }],
    ["memory.write", "write", { path: "/ctx/a" }],
    ["memory.read", "read", { path: "/ctxt/a" }],
    ["file.read", "read", { path: "/work/a" }],
    ["file.write", "write", { path: "/work/a", data: "x" }],
    ["file.list", "list", { path: "/work" }],
    ["file.remove", "remove", { path: "/work/a" }],
    ["memory.read", "read", { path: "/workshop/a" }],
  ])("%s: %s %j", (tool, call, args) => {
    expect(isRefused(held(), call, args)).toBe(true);
    expect(isRefused(held("other", tool), call, args)).toBe(false);
    expect(isRefused(held(`${tool.split(".")[0]!}.*`), call, args)).toBe(false);
    expect(isRefused(processOf({}), call, args)).toBe(false);
  });
});

test.each<[string, SyscallName, Json]>([
  ["memory.remember", "write", { path: "/mem/semantic/factsheet" }],
  ["memory.remember", "write", { fd: 3 }],
  ["memory.recall", "search", { path: "/mem/working/a", query: "x" }],
  [
    "memory.recall",
    "search",
    { path: "/mem/semantic", also: ["/mem/agents/a/semantic"], query: "x" },
  ],
  ["context.ask", "search", { path: "/mem/shared", also: ["/mem/semantic"], query: "x" }],
  ["memory.write", "search", { path: "/ctx/archive", also: ["/mem/semantic"], query: "x" }],
  ["memory.forget", "remove", { path: "/mem/shared/facts/a/b" }],
  ["context.ask", "search", { path: "/mem/semantic/a", query: "x" }],
])("ALLOWED-TOOLS-1: %s is no leave to %s %j", (tool, call, args) => {
  expect(isRefused(held(tool), call, args)).toBe(true);
});

test.each<[SyscallName, Json]>([
  ["infer", {}],
  ["read", { path: "/self/tools" }],
  ["read", { path: "/skills/a/SKILL.md" }],
  ["list", { path: "/self" }],
  ["list", { path: "/skills" }],
  ["list", { path: "/ctx" }],
  ["read", { path: "/ctx/archive/1" }],
  ["search", { path: "/ctx/archive", query: "x" }],
  ["close", { fd: 3 }],
  ["checkpoint", { state: 1 }],
  ["exit", {}],
])("ALLOWED-TOOLS-2: %s %j is no tool", (call, args) => {
  expect(isRefused(held(), call, args)).toBe(false);
});

test("ALLOWED-TOOLS-2: one that lives on may wait for what comes, and answer it; to others both are tools", () => {
  const persistent = processOf({});
  Object.assign(persistent.manifest, { persistent: true });
  narrow(persistent, "s", []);

  expect(isRefused(persistent, "receive", {})).toBe(false);
  expect(isRefused(persistent, "send", { to: "agt_1", replyTo: "m" })).toBe(false);
  expect(isRefused(persistent, "receive", { topic: "t" })).toBe(true);
  expect(isRefused(persistent, "send", { to: "agt_1" })).toBe(true);
  expect(isRefused(held(), "receive", {})).toBe(true);
  expect(isRefused(held(), "send", { to: "agt_1", replyTo: "m" })).toBe(true);
});

test("NARROWING-1: a tool must be in every list; the same list twice is one", () => {
  const process = held("a", "b");

  expect(narrow(process, "s", ["a", "b"])).toBe(false);
  expect(narrow(process, "t", ["b", "c"])).toBe(true);
  expect(narrow(process, "s", ["c"])).toBe(true); // the skill has changed: both hold
  expect(narrowingOf(process)).toHaveLength(3);
  for (const tool of ["a", "b", "c"])
    expect(isRefused(process, "exec", { tool, args: {} })).toBe(true);
});

test("NARROWING-2: what a record or a row says is taken in, and said again", () => {
  const narrowing = [{ skill: "s", tools: ["a"] }];
  const read = processOf({});
  narrowAgain(read, { kind: "restart", narrowing } as never);
  narrowAgain(read, { kind: "restart" } as never);
  const born = processOf({ row: { spec: { ...testProcessRow().spec, narrowing } } });

  expect(narrowingField(read)).toEqual({ narrowing });
  expect(narrowingField(born)).toEqual({ narrowing });
  expect(narrowingField(processOf({}))).toEqual({});
});

test("a call is held where it is described, before a tool is looked for", () => {
  const devices = devicesOf(toolOf("a"), toolOf("b"));
  const process = held("a");
  const exec = (tool: string) =>
    describeCall({ name: "exec", args: { tool, args: {} } }, process, devices);

  expect(exec("a").tool?.name).toBe("a");
  expect(thrownBy(() => exec("b"))).toMatchObject({
    code: "EPOLICY",
    message: "the skill s does not allow b",
    hint: "since it was read these are left: a",
    detail: { skill: "s", allowed: ["a"] },
  });
  expect(thrownBy(() => exec("none"))).toMatchObject({ code: "EPOLICY" });
});

test("what is below /skills is read and listed by no capability, and nothing else is done there", () => {
  const touches = (name: SyscallName, args: Json) => actionOf(processOf({}), name, args).touches;

  expect(touches("read", { path: "/skills/a/SKILL.md" })).toEqual([]);
  expect(touches("list", { path: "/skills" })).toEqual([]);
  expect(touches("read", { path: "/skillset" })).toHaveLength(1);
  expect(touches("write", { path: "/skills/a", data: 1 })).toHaveLength(1);
  expect(touches("search", { path: "/skills", query: "x" })).toHaveLength(1);
});

test("what is below /ctx is read, listed and searched by no capability, and nothing else is done there", () => {
  const touches = (name: SyscallName, args: Json) => actionOf(processOf({}), name, args).touches;

  expect(touches("read", { path: "/ctx/archive/1" })).toEqual([]);
  expect(touches("list", { path: "/ctx" })).toEqual([]);
  expect(touches("search", { path: "/ctx/archive", query: "x" })).toEqual([]);
  expect(touches("read", { path: "/ctxt" })).toHaveLength(1);
  expect(touches("write", { path: "/ctx/a", data: 1 })).toHaveLength(1);
  expect(touches("remove", { path: "/ctx/archive/1" })).toHaveLength(1);
});
