import { expect, test } from "vitest";
import { argsOf, subjectOf } from "./subject.ts";
import {
  actionOf,
  execOf,
  inferOf,
  TEST_NOW,
  processOf,
  targetOf,
} from "../../../tests/helpers/kernel/process.ts";

test("the policy sees a tool's own arguments, and else the call's", () => {
  expect(argsOf({ call: "exec", args: { tool: "look", args: { a: 1 } } })).toEqual({ a: 1 });
  expect(argsOf({ call: "read", args: { path: "/a", args: 2 } })).toEqual({ path: "/a", args: 2 });
  expect(argsOf({ call: "exec", args: { tool: "look" } })).toBeNull();
  expect(argsOf({ call: "self", args: null })).toBeNull();
});

test("the policy sees who does it, what, to whom, and what it has cost", () => {
  const process = processOf({ row: { depth: 2 } });
  process.account
    .reserve(
      { microUsd: 1_000_000, tokens: 2, toolCalls: 3 },
      { nowMs: TEST_NOW, what: "tool:pay" },
    )
    .settle({ microUsd: 1_000_000, tokens: 2, toolCalls: 3 }, TEST_NOW);
  const judged = { pinned: true, atMs: TEST_NOW, isBegun: false };

  expect(subjectOf(process, execOf(process, "pay", { model: "far/x" }), judged)).toEqual({
    call: "exec",
    args: { model: "far/x" },
    agent: "writer",
    tenant: "acme",
    pid: "agt_7",
    depth: 2,
    tool: "pay",
    model: undefined,
    target: undefined,
    touches: [{ kind: "tool", resource: "pay", verb: "call" }],
    label: process.label,
    effect: "external",
    sinks: ["egress"],
    pinned: true,
    morePower: false,
    undoable: false,
    cost: { usd: 0, tokens: 0, toolCalls: 1 },
    spent: { usd: 1, tokens: 2, toolCalls: 3 },
    atMs: TEST_NOW,
    isBegun: false,
  });
  expect(subjectOf(process, inferOf(process, "near/x"), judged).model).toBe("near/x");
  const facts = { target: targetOf() };
  const send = actionOf(process, "send", { to: "agt_9", body: { model: "x" } }, { facts });
  const subject = subjectOf(process, { ...send, args: { model: "x" } }, judged);
  expect(subject).toMatchObject({ target: { pid: "agt_9", agent: "helper" }, model: undefined });
});
