import type { JournalRecord } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { extendTimeline, inLine, timelineOf } from "./timeline.ts";

let seq = 0;
const record = (kind: JournalRecord["kind"], more: object): JournalRecord =>
  ({ kind, seq: seq++, at: 1000 + seq * 10, cause: 0, ...more }) as never;
const exec = { call: "exec", args: { tool: "file.append", args: { path: "/a", line: "x" } } };

const shown = (records: JournalRecord[]) =>
  timelineOf(records).map(({ name, verdict, records }) => [
    name,
    verdict,
    records.map(({ kind }) => kind).join("+"),
  ]);

test("an intent and its outcome are one step, where the intent was (TIMELINE-1)", () => {
  const steps = timelineOf([
    record("intent", { n: 1, ...exec, key: "k", attempt: 1 }),
    record("call", { n: 2, call: "read", args: { path: "/self/tools" }, ok: [] }),
    record("outcome", { n: 1, ok: {}, usd: 0.5, tokens: 7, label: "untrusted/public" }),
  ]);

  expect(steps).toMatchObject([
    {
      name: "file.append",
      about: "path: /a, line: x",
      verdict: "allowed",
      tookMs: 20,
      usd: 0.5,
      tokens: 7,
      label: "untrusted/public",
    },
    { name: "read", about: "/self/tools", verdict: "allowed", tookMs: null },
  ]);
  expect(steps[0]!.records.map(({ kind }) => kind)).toEqual(["intent", "outcome"]);
});

test("what was begun is under way, until the run ends or its program begins again (TIMELINE-2)", () => {
  const begun = [record("intent", { n: 1, ...exec, key: "k", attempt: 1 })];
  const ended = record("end", { state: "killed", code: 137 });
  const restarted = record("restart", { why: "crash", issued: 1 });

  expect(shown(begun)).toEqual([["file.append", "running", "intent"]]);
  expect(shown([...begun, ended])[0]).toEqual(["file.append", "cut off", "intent"]);
  expect(shown([...begun, restarted])[0]).toEqual(["file.append", "cut off", "intent"]);
});

test("a second try of an effect is the same step", () => {
  const tries = [1, 2].map((attempt) => record("intent", { n: 1, ...exec, key: "k", attempt }));

  expect(shown([...tries, record("outcome", { n: 1, ok: null })])).toEqual([
    ["file.append", "allowed", "intent+intent+outcome"],
  ]);
});

test.each([
  ["approved", { ok: 1, verdict: "approved by ann (ask_1, kernel/red-external)" }],
  ["allowed", { ok: 1, verdict: "endorsed by schema 12" }],
  ["refused", { err: { code: "EPOLICY", message: "no" } }],
  ["refused", { err: { code: "EDENIED", message: "no" } }],
  ["failed", { err: { code: "EUPSTREAM", message: "no" } }],
])("the verdict is %s by %j", (verdict, came) => {
  expect(timelineOf([record("call", { n: 1, ...exec, ...came })])[0]).toMatchObject({ verdict });
});

test("every kind of record has a step", () => {
  const kinds = [
    record("start", { input: "hi", program: { name: "agent", version: "1" } }),
    record("signal", { signal: "SIGSTOP", did: "stopped", issued: 0 }),
    record("crash", { reason: "gone" }),
    record("fork", { from: "agt_1", shared: 3 }),
    record("grant", { by: "ann", capabilities: ["tool:x:call"], handle: "h" }),
    record("revoke", { by: "ann", handle: "h" }),
    record("end", { state: "failed", code: 1, error: { code: "EINVAL", message: "bad" } }),
  ];

  expect(timelineOf(kinds).map(({ name, about }) => `${name} ${about}`)).toEqual([
    "start hi",
    "SIGSTOP stopped",
    "crash gone",
    "fork of agt_1 at 3",
    "grant by ann: tool:x:call",
    "revoke by ann: h",
    "failed bad",
  ]);
});

test("a line is one line, and not too long", () => {
  expect(inLine({ a: "b\n\n c", d: { e: 1 } })).toBe('a: b c, d: {"e":1}');
  expect(inLine("x".repeat(400))).toHaveLength(301);
});

test("steps that are extended are those of the whole (TIMELINE-4)", () => {
  const whole = [
    { kind: "intent", seq: 0, at: 1, n: 1, call: "exec", args: { tool: "echo", args: {} } },
    { kind: "intent", seq: 1, at: 2, n: 2, call: "exec", args: { tool: "echo", args: {} } },
    { kind: "outcome", seq: 2, at: 3, n: 1, ok: 1 },
    { kind: "end", seq: 3, at: 4, state: "killed" },
  ] as unknown as readonly JournalRecord[];

  for (let first = 0; first <= whole.length; first += 1) {
    const begun = extendTimeline(undefined, whole.slice(0, first));
    expect(extendTimeline(begun, whole).steps).toEqual(timelineOf(whole));
    expect(extendTimeline(begun, begun.records)).toBe(begun);
  }
  const ofOthers = extendTimeline(undefined, structuredClone(whole.slice(0, 2)));
  expect(extendTimeline(ofOthers, whole).steps).toEqual(timelineOf(whole));
});
