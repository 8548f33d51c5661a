// A call about /work is the file tool that does it: touched, judged and counted as that.

import type { Json, SyscallName, Tool, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { actionOf, processOf, thrownBy, toolOf } from "../../../tests/helpers/kernel/process.ts";
import { workCall } from "./work-files.ts";

const MOST = 1_048_576;
const text = ({ kind, resource, verb }: Touch) => `${kind}:${resource}:${verb}`;

const fileTool = (name: string, more: Partial<Tool> = {}): Tool =>
  toolOf(name, {
    touches: (args) => [
      { kind: "file", resource: (args as { path: string }).path, verb: name.slice(5) },
    ],
    ...more,
  });

const tools = [
  fileTool("file.read"),
  fileTool("file.write", { effect: "idempotent" }),
  fileTool("file.list"),
  fileTool("file.remove", { effect: "external", sinks: () => ["destructive"] }),
];

describe("what it is taken for", () => {
  const action = (name: SyscallName, args: Json, plugged = tools) =>
    actionOf(processOf({}), name, args, { tools: plugged });

  test.each<[SyscallName, Json, object]>([
    [
      "read",
      { path: "/work/a" },
      { touches: ["file:/work/a:read"], effect: "read", sinks: [], isVisible: false },
    ],
    [
      "write",
      { path: "/work/a", data: 1 },
      { touches: ["file:/work/a:write"], effect: "idempotent", sinks: ["write"], isVisible: true },
    ],
    ["list", { path: "/work" }, { touches: ["file:/work:list"], effect: "read" }],
    [
      "remove",
      { path: "/work/a" },
      { touches: ["file:/work/a:remove"], effect: "external", sinks: ["destructive"] },
    ],
  ])("%s needs the right to the file, and not to the tool", (name, args, expected) => {
    const { touches, ...described } = action(name, args);

    expect({ ...described, touches: touches.map(text) }).toMatchObject({
      ...expected,
      call: name,
      worst: { microUsd: 0, tokens: 0, toolCalls: 1 },
    });
    expect(described.tool?.name).toBe(`file.${name}`);
  });

  test("what the tool refuses is refused, in its words and with its arguments", () => {
    const refuses = (args: Json) =>
      (args as { offset: number }).offset === 3 ? "not 3" : undefined;
    const picky = [fileTool("file.read", { refuses })];

    const refusal = thrownBy(() => action("read", { path: "/work/a", offset: 3 }, picky));

    expect(refusal).toMatchObject({ code: "EINVAL", message: "not 3" });
    expect(action("read", { path: "/work/a", offset: 4 }, picky).call).toBe("read");
  });

  test("without the tool nothing is mounted there", () => {
    expect(thrownBy(() => action("read", { path: "/work/a" }, []))).toMatchObject({
      code: "ENOENT",
      message: "nothing is mounted at /work/a",
    });
  });

  test.each<[SyscallName, Json]>([
    ["open", { path: "/work/a" }],
    ["search", { path: "/work/a", query: "x" }],
  ])("%s has no meaning there, and says so", (name, args) => {
    expect(thrownBy(() => action(name, args))).toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining(`${name}: files of the workspace`),
    });
  });
});

const none = () => false;

test("WORK-FILES-1: a mount is its tool's below /mnt, and below /mem/semantic where it is declared there", () => {
  const isNotes = (name: string) => name === "notes";

  expect(workCall("read", { path: "/mnt/notes/1" }, none)?.tool).toBe("mnt.notes");
  expect(workCall("read", { path: "/mem/semantic/notes/1" }, isNotes)?.tool).toBe("mnt.notes");
  expect(workCall("search", { path: "/mem/semantic/notes" }, isNotes)?.tool).toBe("mnt.notes");
  expect(workCall("read", { path: "/mem/semantic/notes/1" }, none)).toBeUndefined();
  for (const path of ["/mem/semantic", "/mem/semantic/other/notes", "/mem/shared/notes/1"])
    expect(workCall("search", { path }, isNotes)).toBeUndefined();
});

test("what is not about /work is not taken", () => {
  for (const path of ["/workshop", "/wor", "/mem/work", 7, undefined])
    expect(workCall("read", { path }, none)).toBeUndefined();
  expect(workCall("read", undefined, none)).toBeUndefined();
  expect(workCall("send", { path: "/work/a" }, none)).toBeUndefined();
  expect(workCall("read", { path: "/work" }, none)?.tool).toBe("file.read");
});

describe("how it is told to the tool, and what the call answers", () => {
  const call = (name: SyscallName, args: object) => {
    const found = workCall(name, args, none)!;
    return {
      args: found.args(found.given),
      answer: (r: object) => found.answer(r as never, found.given),
    };
  };

  test("read gives all of it, or a piece, never more than a mebibyte", () => {
    const whole = call("read", { path: "/work/a" });
    const piece = call("read", { path: "/work/a", offset: 2, length: 3 });

    expect(whole.args).toEqual({ path: "/work/a", offset: 0, limit: MOST });
    expect(piece.args).toEqual({ path: "/work/a", offset: 2, limit: 3 });
    expect(call("read", { path: "/work/a", length: MOST + 1 }).args).toMatchObject({ limit: MOST });
    expect(whole.answer({ text: "t", next: null })).toBe("t");
    expect(piece.answer({ text: "t", next: 5 })).toBe("t");
    expect(thrownBy(() => whole.answer({ text: "t", next: 5 }))).toMatchObject({
      code: "EINVAL",
      message: `/work/a has more than ${MOST} bytes`,
    });
  });

  test("write: text as it is, the rest as JSON, with the folders that it needs", () => {
    expect(call("write", { path: "/work/a", data: "t" }).args).toEqual({
      path: "/work/a",
      text: "t",
      make: true,
    });
    expect(call("write", { path: "/work/a", data: { b: 1 } }).args).toMatchObject({
      text: '{"b":1}',
    });
    expect(call("write", { path: "/work/a", data: "" }).answer({ bytes: 0 })).toBeNull();
  });

  test("list: every file below, and never a part of them as if it were all", () => {
    const { args, answer } = call("list", { path: "/work/a" });
    const entries = [
      { name: "b", kind: "folder" },
      { name: "b/c", kind: "file" },
      { name: "d", kind: "link" },
    ];

    expect(args).toEqual({ path: "/work/a", depth: 20, limit: 10_000 });
    expect(answer({ entries, cut: false })).toEqual(["/work/a/b/c", "/work/a/d"]);
    expect(thrownBy(() => answer({ entries, cut: true }))).toMatchObject({ code: "EINVAL" });
  });

  test("remove: what was not there is ENOENT", () => {
    const { args, answer } = call("remove", { path: "/work/a" });

    expect(args).toEqual({ path: "/work/a" });
    expect(answer({ removed: true })).toBeNull();
    expect(thrownBy(() => answer({ removed: false }))).toMatchObject({ code: "ENOENT" });
  });
});
