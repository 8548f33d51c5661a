// What each call would do, said before it is done: what it touches, where what it is given goes, what it
// may cost. What is not said here is not asked.

import type { Json, SyscallName, Tool, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { NOTHING } from "../budget/accounts.ts";
import { Devices } from "../device/devices.ts";
import { describe as describeCall, digestOfAction } from "./action.ts";
import {
  actionOf,
  devicesOf,
  execOf,
  grantTo,
  inferOf,
  processOf,
  targetOf,
  thrownBy,
  toolOf,
  type TestProcessOptions,
} from "../../../tests/helpers/kernel/process.ts";

const RED = { integrity: "untrusted", secrecy: "public" } as const;
const text = ({ kind, resource, verb }: Touch) => `${kind}:${resource}:${verb}`;

const touchesOf = (name: SyscallName, args: Json, options: TestProcessOptions = {}) =>
  actionOf(processOf(options), name, args).touches.map(text);

test("a call that does nothing to the world", () => {
  expect(actionOf(processOf({}), "self", {})).toEqual({
    call: "self",
    args: {},
    touches: [],
    effect: "read",
    sinks: [],
    morePower: false,
    isUndoable: false,
    isVisible: false,
    worst: NOTHING,
    tool: undefined,
    model: undefined,
    target: undefined,
    standing: [],
  });
  expect(actionOf(processOf({}), "self", null).args).toBeNull();
  expect(actionOf(processOf({}), "checkpoint", { state: 1 }).effect).toBe("idempotent");
});

test.each<[SyscallName, Json, string[]]>([
  ["infer", { model: "far/x", messages: [] }, ["model:far/x:infer"]],
  ["exec", { tool: "look", args: {} }, ["tool:look:call"]],
  ["read", { path: "/mem/a" }, ["memory:/mem/a:read"]],
  ["write", { path: "/mem/a", data: 1 }, ["memory:/mem/a:write"]],
  ["list", { path: "/mem" }, ["memory:/mem:list"]],
  ["remove", { path: "/mem/a" }, ["memory:/mem/a:remove"]],
  ["search", { path: "/mem", query: "x" }, ["memory:/mem:search"]],
  ["open", { path: "/mem/a" }, ["memory:/mem/a:read"]],
  ["open", { path: "/mem/a", mode: "read" }, ["memory:/mem/a:read"]],
  ["open", { path: "/mem/a", mode: "append" }, ["memory:/mem/a:write"]],
  ["read", { path: "/self" }, []],
  ["read", { path: "/self/label" }, []],
  ["read", { path: "/selfish" }, ["memory:/selfish:read"]],
  ["read", { fd: 3 }, ["memory:/mem/open:read"]],
  ["write", { fd: 3, data: "x" }, ["memory:/mem/open:write"]],
  ["read", { fd: 9 }, []],
  ["read", {}, []],
  ["spawn", { agent: "helper", input: null }, ["agent:helper:spawn"]],
  ["wait", { pid: "agt_9" }, ["agent:agt_9:wait"]],
  ["send", { to: "agt_9", body: 1 }, ["message:agt_9:send"]],
  ["request", { to: "agt_9", body: 1 }, ["message:agt_9:send"]],
  ["grant", { to: "agt_9", capabilities: ["tool:look:call"] }, ["message:agt_9:send"]],
  ["publish", { topic: "news", body: 1 }, ["message:news:publish"]],
  ["subscribe", { topic: "news" }, ["message:news:subscribe"]],
  ["signal", { pid: "agt_9", signal: "SIGINT" }, ["signal:agt_9:send"]],
  ["ask", { question: "?" }, []],
])("%s %j touches %j", (name, args, expected) => {
  const process = processOf({});
  process.streams.set(3, { path: "/mem/open", mode: "append", offset: 0 });

  expect(actionOf(process, name, args).touches.map(text)).toEqual(expected);
});

test("a path that is not plain is no path, also of what is its own", () => {
  for (const path of ["/mem/../etc", "/self/../mem/shared/x", "/mem//a", "/mem/\u0000"])
    expect(thrownBy(() => touchesOf("read", { path }))).toMatchObject({ code: "EINVAL" });
});

describe("files", () => {
  const writing = (
    label: TestProcessOptions["label"] & object,
    replaced?: string,
    name: SyscallName = "write",
  ) =>
    actionOf(
      processOf({ label }),
      name,
      name === "write" ? { path: "/mem/a", data: 1 } : { path: "/mem/a" },
      { facts: replaced === undefined ? {} : { replaced: { label: replaced } as never } },
    ).sinks;

  test("to put something less trusted in the place of what is there is destructive", () => {
    expect(writing(RED, "trusted/public")).toEqual(["destructive"]);
    expect(writing(RED, "trusted/public", "remove")).toEqual(["destructive"]);
    expect(writing(RED, "untrusted/public")).toEqual(["write"]);
    expect(writing(RED)).toEqual(["write"]);
    expect(writing({ integrity: "trusted", secrecy: "public" }, "untrusted/secret")).toEqual([
      "write",
    ]);
    expect(writing({ integrity: "trusted", secrecy: "public" }, undefined, "remove")).toEqual([
      "write",
    ]);
  });

  test("to read goes nowhere", () => {
    expect(actionOf(processOf({ label: RED }), "read", { path: "/mem/a" }).sinks).toEqual([]);
  });
});

describe("tools", () => {
  const described = (more: Partial<Tool>) => {
    const { effect, sinks, isVisible } = execOf(processOf({}), "x", {}, [toolOf("x", more)]);
    return [effect, sinks, isVisible];
  };

  test.each<[Partial<Tool>, readonly unknown[]]>([
    [{ effect: "read" }, ["read", [], false]],
    [{ effect: "read", egress: true }, ["read", ["egress"], true]],
    [{ effect: "read", egress: false }, ["read", [], false]],
    [{ effect: "idempotent" }, ["idempotent", ["write"], true]],
    [{ effect: "idempotent", egress: true }, ["idempotent", ["egress"], true]],
    [{ effect: "external" }, ["external", ["egress"], true]],
    [{ effect: "external", sinks: () => ["destructive"] }, ["external", ["destructive"], true]],
    [{ effect: "external", sinks: () => [] }, ["external", [], true]],
  ])("%j: its effect, where it goes, and whether it is seen outside", (more, expected) => {
    expect(described(more)).toEqual(expected);
  });

  test("a tool is touched before all that it touches, with the arguments that it is given", () => {
    const copy = toolOf("copy", {
      touches: (args) => [{ kind: "file", resource: (args as { to: string }).to, verb: "write" }],
    });
    const action = execOf(processOf({}), "copy", { to: "/b" }, [copy]);

    expect(action.touches.map(text)).toEqual(["tool:copy:call", "file:/b:write"]);
    expect(action.tool).toBe(copy);
    expect(action.worst).toEqual({ microUsd: 0, tokens: 0, toolCalls: 1 });
  });

  test("what a tool refuses is EINVAL in its words", () => {
    const picky = toolOf("picky", { refuses: (args) => (args === 1 ? undefined : "only 1") });
    const process = processOf({});

    expect(execOf(process, "picky", 1, [picky]).call).toBe("exec");
    const refusal = thrownBy(() => execOf(process, "picky", 2, [picky]));
    expect(refusal).toMatchObject({ code: "EINVAL", message: "picky: only 1" });
    expect(thrownBy(() => execOf(process, "gone"))).toMatchObject({ code: "ENOENT" });
  });
});

test("a model: what it may cost, and that it is outside unless it is here", () => {
  const worst = { microUsd: 10000, tokens: 100, toolCalls: 0 };

  expect(inferOf(processOf({}), "far/x")).toMatchObject({
    isVisible: true,
    sinks: ["egress"],
    worst,
  });
  expect(inferOf(processOf({}), "near/x")).toMatchObject({ isVisible: false, sinks: [], worst });
  expect(inferOf(processOf({})).model?.provider).toBe("far");
});

test("a model whose price is not known costs nothing that could be held, and says so", () => {
  const unpriced = {
    provider: "new",
    egress: true,
    worstCase: () => ({ usd: null, tokens: 7 }),
    infer: () => Promise.reject(new Error("it is not to be run")),
  };
  const args: Json = { model: "new/x", messages: [] };

  expect(
    describeCall({ name: "infer", args }, processOf({}), new Devices([], [unpriced])).worst,
  ).toEqual({
    microUsd: 0,
    tokens: 7,
    toolCalls: 0,
    unpriced: true,
  });
  expect(inferOf(processOf({})).worst).not.toHaveProperty("unpriced");
});

test("a person who is asked sees it", () => {
  expect(actionOf(processOf({}), "ask", { question: "?" }).isVisible).toBe(true);
});

describe("kin", () => {
  const child = targetOf({ parent: 7 });
  const parent = targetOf({ key: 5, parent: null });
  const stranger = targetOf({ parent: 5 });
  const orphan = targetOf({ parent: null });
  const ours = processOf({ row: { parent: 5 } });
  const root = processOf({ row: { parent: null } });
  const calls: Readonly<Record<string, Json>> = {
    wait: { pid: "agt_9" },
    signal: { pid: "agt_9", signal: "SIGINT" },
    send: { to: "agt_9", body: 1 },
    request: { to: "agt_9", body: 1 },
    grant: { to: "agt_9", capabilities: ["tool:look:call"] },
  };

  test.each(Object.keys(calls))("who needs no capability for %s", (call) => {
    const name = call as SyscallName;
    const isFree = (process: typeof ours, target?: typeof child) =>
      actionOf(process, name, calls[name]!, { facts: { target } }).touches.length === 0;
    const talks = ["send", "request", "grant"].includes(name);

    expect(isFree(ours, child)).toBe(true);
    expect(isFree(ours, parent)).toBe(talks); // the parent is not waited for, nor signalled
    expect(isFree(ours, stranger)).toBe(false);
    expect(isFree(root, orphan)).toBe(false);
    expect(isFree(root)).toBe(false);
    expect(actionOf(ours, name, calls[name]!, { facts: { target: child } }).target).toBe(child);
  });

  test("a fork waits for those that its history started, and signals none of them", () => {
    const forkedFrom = { pid: "agt_3", key: 3, at: 0, origins: [2, 3] };
    const fork = processOf({ row: { spec: { forkedFrom } as never } });
    const touched = (name: SyscallName, target?: typeof child) =>
      actionOf(fork, name, calls[name]!, { facts: { target } }).touches.length;

    expect(touched("wait", targetOf({ parent: 3 }))).toBe(0);
    expect(touched("wait", targetOf({ parent: 2 }))).toBe(0);
    expect(touched("wait", child)).toBe(0);
    expect(touched("wait", targetOf({ parent: 4 }))).toBe(1);
    expect(touched("wait", orphan)).toBe(1);
    expect(touched("wait")).toBe(1);
    expect(touched("signal", targetOf({ parent: 3 }))).toBe(1);
  });
});

describe("more power", () => {
  const spawn = { agent: "helper", input: null };
  const holding = { handle: "x" } as never;

  test("what its child would hold anyway, and what it may only hand on", () => {
    const plain = processOf({ capabilities: ["tool:look:call", "tool:set:call{hold:use}"] });
    const giver = processOf({ capabilities: ["tool:look:call", "tool:set:call{hold:grant}"] });
    const spawned = (process: typeof plain, standing?: never[]) =>
      actionOf(process, "spawn", spawn, { facts: { standing } });

    expect(spawned(plain)).toMatchObject({ morePower: false, standing: [] });
    expect(spawned(plain, [])).toMatchObject({ morePower: false, standing: [] });
    expect(spawned(plain, [holding])).toMatchObject({ morePower: true, standing: [holding] });
    expect(spawned(giver)).toMatchObject({ morePower: true });
  });

  test("of a grant too, and of any chain that it holds", () => {
    const process = processOf({ capabilities: ["tool:look:call"] });
    const grant = () =>
      actionOf(process, "grant", { to: "agt_9", capabilities: ["tool:look:call"] }).morePower;

    expect(grant()).toBe(false);
    grantTo(process, "cap_1111111111111111111111", ["tool:set:call{hold:grant}"]);
    expect(grant()).toBe(true);
  });
});

describe("what is no call", () => {
  const refused = (name: string, args: Json) =>
    thrownBy(() => describeCall({ name: name as never, args }, processOf({}), devicesOf()));

  test.each<[string, Json, string]>([
    ["nope", {}, "there is no system call nope"],
    ["?nope", {}, "there is no system call nope"],
    ["constructor", {}, "there is no system call constructor"],
    ["read", { $refused: "too long" }, "too long"],
    ["exec", { tool: "", args: {} }, "exec: tool: "],
    ["exec", { tool: "look", args: {}, by: "x" }, "exec: by: no handle of a capability"],
    ["spawn", { agent: "x", input: 1, budget: { usd: -1 } }, "spawn: budget.usd: "],
    ["self", { more: 1 }, "self: arguments: "],
    ["self", "text", "self: arguments: "],
    ["remove", null, "remove: path: "],
  ])("%s %j is EINVAL: %s", (name, args, message) => {
    expect(refused(name, args)).toMatchObject({ code: "EINVAL" });
    expect(refused(name, args).message).toContain(message);
  });
});

test("an approval is bound to the process, the call and its arguments, and to nothing else", () => {
  const digest = (call: string, args: Json, pid = "agt_1") =>
    digestOfAction({ call: call as never, args }, pid);

  expect(digest("exec", { a: 1, b: 2 })).toBe(digest("exec", { b: 2, a: 1 }));
  const others = [
    digest("exec", { a: 1 }),
    digest("exec", { a: 1 }, "agt_2"),
    digest("write", { a: 1 }),
  ];
  expect(new Set([...others, digest("exec", { a: 2 })]).size).toBe(4);
});

test("what can be taken back is what its tool says can be, from where it is called", () => {
  const says = (isUndoable?: Tool["isUndoable"]) =>
    execOf(
      processOf({ row: { spec: { workspace: { folder: "/home/ada", isCow: true } } as never } }),
      "x",
      { a: 1 },
      [toolOf("x", isUndoable === undefined ? {} : { isUndoable })],
    ).isUndoable;
  expect(says()).toBe(false);
  expect(says(() => false)).toBe(false);
  expect(
    says(
      (args, place) =>
        JSON.stringify([args, place]) ===
        '[{"a":1},{"workspace":{"folder":"/home/ada","isCow":true}}]',
    ),
  ).toBe(true);
});

test("a process's own files and its skills need no grant, and nothing that is only spelled like them", () => {
  const touched = (call: "list" | "read" | "write", path: string) =>
    actionOf(processOf({}), call, call === "write" ? { path, data: 1 } : { path }).touches.length;
  for (const path of ["/self", "/self/tools", "/skills", "/skills/a/SKILL.md"]) {
    expect(touched("list", path)).toBe(0);
    expect(touched("read", path)).toBe(0);
  }
  for (const path of ["/selfish", "/selfish/a", "/skillset", "/mem/self"])
    expect(touched("read", path)).toBe(1);
  expect(touched("write", "/skills/a/SKILL.md")).toBe(1);
});
