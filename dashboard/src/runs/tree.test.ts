import type { ProcessId, ProcessInfo } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { treeOf } from "./tree.ts";

const run = (pid: string, parent: string | null = null, more: Partial<ProcessInfo> = {}) =>
  ({
    pid: pid as ProcessId,
    agent: "writer",
    name: null,
    state: "running",
    waitingOn: null,
    parent: parent as ProcessId | null,
    exitCode: null,
    costUsd: 0,
    startedAt: "2026-01-01T00:00:00Z",
    endedAt: null,
    lane: "normal",
    deadline: null,
    mailbox: { depth: 0, oldestAt: null },
    ...more,
  }) satisfies ProcessInfo;

const drawn = (runs: readonly ProcessInfo[]) =>
  treeOf(runs).map(({ run, depth }) => `${"-".repeat(depth)}${run.pid}`);

test("children stand under their parent in the order of their birth, and families newest first (TREE-2)", () => {
  const newestFirst = [run("e"), run("d", "a"), run("c", "b"), run("b", "a"), run("a")];

  expect(drawn(newestFirst)).toEqual(["e", "a", "-b", "--c", "-d"]);
});

test("a run whose parent is not listed stands at the top (TREE-1)", () => {
  expect(drawn([run("c", "b"), run("b", "gone")])).toEqual(["b", "-c"]);
});
