import type { FeedEvent, JournalRecord } from "@aos/protocol";
import { expect, test } from "vitest";
import { ActivityMetrics } from "./activity-metrics.ts";

let seq = 0;
const event = (record: object, pid = "agt_1"): FeedEvent =>
  ({
    pid,
    tenant: "default",
    tree: pid,
    record: { seq: seq++, at: 0, cause: 0, ...record } as JournalRecord,
  }) as FeedEvent;
const call = (name: string, more: object = {}) =>
  event({ kind: "call", n: 1, call: name, args: {}, ok: null, ...more });
const refused = { ok: undefined, err: { code: "EACCES", message: "no" } };

function count(...events: FeedEvent[]) {
  const activity = new ActivityMetrics();
  for (const one of events) activity.note(one);
  return activity;
}

test("calls are counted by name and by how they went, refusals by their code", () => {
  const activity = count(call("read"), call("read"), call("write", refused));

  expect([...activity.calls]).toEqual([
    [["read", "ok"], 2],
    [["write", "failed"], 1],
  ]);
  expect([...activity.refusals]).toEqual([[["EACCES"], 1]]);
});

test("a tool that was begun is counted when it is over, for each process by itself", () => {
  const begun = (pid: string, tool: string) =>
    event({ kind: "intent", n: 1, call: "exec", args: { tool }, key: "k", attempt: 1 }, pid);
  const over = (pid: string, more: object) => event({ kind: "outcome", n: 1, ...more }, pid);
  const activity = count(begun("agt_1", "a"), begun("agt_2", "b"), over("agt_2", refused));

  expect([...activity.tools]).toEqual([[["b", "failed"], 1]]);
  activity.note(over("agt_1", { ok: 1 }));
  expect([...activity.tools]).toContainEqual([["a", "ok"], 1]);
});

test("METRICS-DEEDS-1: beyond a hundred names tools are counted together", () => {
  const tool = (name: string) => call("exec", { args: { tool: name, args: {} } });
  const activity = count(...Array.from({ length: 150 }, (_, n) => tool(`t${n}`)));

  expect([...activity.tools]).toHaveLength(101);
  expect([...activity.tools]).toContainEqual([["others", "ok"], 50]);
});

test("starts and ends are counted", () => {
  const activity = count(
    event({ kind: "start" }),
    event({ kind: "end", state: "failed", code: 64 }),
    event({ kind: "end", state: "failed", code: 64 }),
  );

  expect([...activity.starts]).toEqual([[[], 1]]);
  expect([...activity.ends]).toEqual([[["failed", "64"], 2]]);
});
