import { stripVTControlCharacters } from "node:util";
import type { ProcessInfo } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { renderTop, renderTopOnce } from "./picture.ts";
import { processTree, shownInTree, treeLines } from "./tree.ts";
import { firstView, pressInTop, type ProcessSnapshot } from "./view.ts";

const process = (
  pid: string,
  parent: string | null,
  more: Partial<ProcessInfo> = {},
): ProcessInfo =>
  ({
    pid,
    parent,
    agent: `agent-of-${pid}`,
    name: null,
    state: "running",
    waitingOn: null,
    exitCode: null,
    lane: "normal",
    costUsd: 0.25,
    startedAt: `2026-01-01T00:00:0${pid.length}.000Z`,
    mailbox: { depth: 0, oldestAt: null },
    ...more,
  }) as ProcessInfo;

const family = [
  process("cc", "b", { mailbox: { depth: 3, oldestAt: null } }),
  process("b", "a", { state: "waiting", waitingOn: "child" } as Partial<ProcessInfo>),
  process("a", null),
  process("d", "gone"),
  process("bb", "a"),
];
const nowMs = Date.parse("2026-01-01T00:02:00.000Z");

const look = (isTree: boolean, processes = family): ProcessSnapshot => ({
  atMs: nowMs,
  isTree,
  processes,
  ended: [],
  queue: {
    running: 1,
    limit: null,
    queueLimit: 10,
    queued: { critical: 0, high: 0, normal: 0, low: 0, background: 0 },
    slots: [],
  } as unknown as ProcessSnapshot["queue"],
  models: [],
});

test("TOP-TREE-1: every process is below its parent, once, with the cost and the mail of its tree", () => {
  const tree = processTree(family);

  const lines = treeLines(tree, { nowMs, isWide: true });

  expect(lines.map(({ text }) => text.replaceAll(/ {3,}/g, " | "))).toEqual([
    "agent-of-a | running | $1.0000 | - | 1m | a",
    "├─ agent-of-b | waiting (child) | $0.5000 | - | 1m | b",
    "│  └─ agent-of-cc | running | $0.2500 | 3 | 1m | cc",
    "└─ agent-of-bb | running | $0.2500 | - | 1m | bb",
    "agent-of-d | running | $0.2500 | - | 1m | d",
  ]);
});

test("TOP-TREE-2: no line has more than 80 columns, however deep and long", () => {
  const deep = Array.from({ length: 30 }, (_, nth) =>
    process("x".repeat(nth + 1), nth === 0 ? null : "x".repeat(nth), {
      agent: "a-very-long-name-of-an-agent-that-goes-on-and-on",
      state: "waiting",
      waitingOn: "message",
      startedAt: "2026-01-01T00:00:00.000Z",
    } as Partial<ProcessInfo>),
  );

  const once = renderTopOnce(look(true, deep)).split("\n");

  expect(once.filter((line) => line.length > 80)).toEqual([]);
  expect(once).toHaveLength(33);
});

test("those that ended are there below what lives", () => {
  const ended = [
    process("e", "a", { state: "completed", exitCode: 0 } as Partial<ProcessInfo>),
    process("ee", "e", { state: "failed", exitCode: 1 } as Partial<ProcessInfo>),
    process("f", null, { state: "completed", exitCode: 0 } as Partial<ProcessInfo>),
  ];

  const shown = shownInTree([process("a", null)], ended);

  expect(shown.map(({ pid }) => pid)).toEqual(["a", "e", "ee"]);
});

test("TOP-VIEW-1: arrows follow the order of the tree", () => {
  const view = firstView(look(true));

  const { view: next } = pressInTop(view, "down");
  const picture = renderTop(next, { columns: 80, rows: 20 });

  expect([view.chosen, next.chosen]).toEqual(["a", "b"]);
  expect(picture.every((line) => stripVTControlCharacters(line).length <= 80)).toBe(true);
  expect(picture.join("\n")).toContain("├─ agent-of-b");
});
