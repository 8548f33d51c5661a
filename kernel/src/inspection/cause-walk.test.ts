import type { JournalRecord } from "@aos/protocol";
import { expect, test } from "vitest";
import { walkCauses, type History } from "./cause-walk.ts";

const start = (cause: string): JournalRecord => ({ kind: "start", seq: 0, at: 0, cause }) as never;

const call = (seq: number, cause: number | string, name = "now"): JournalRecord =>
  ({ kind: "call", seq, at: 0, cause, n: seq, call: name, args: {} }) as never;

const history = (pid: string, records: JournalRecord[], tenant = 1): History<null> => ({
  pid,
  tenant,
  owner: null,
  records,
});

async function namesFrom(histories: History<null>[], pid: string, seq: number): Promise<string[]> {
  const steps = await walkCauses(
    async (one) => histories.find((other) => other.pid === one),
    pid,
    seq,
  );
  return [...steps.keys()];
}

test("CAUSE-WALK-1: the way leads over what each record came from, to whoever began it", async () => {
  const parent = history("agt_a", [start("operator"), call(1, 0, "spawn")]);
  const child = history("agt_b", [start("agt_a#1"), call(1, 0)]);

  expect(await namesFrom([parent, child], "agt_b", 1)).toEqual([
    "agt_b#1",
    "agt_b#0",
    "agt_a#1",
    "agt_a#0",
  ]);
});

test("CAUSE-WALK-1: an outcome came from its intent, and not from that of another call", async () => {
  const intent = (seq: number, n: number) => ({ kind: "intent", seq, at: 0, cause: 0, n }) as never;
  const outcome = { kind: "outcome", seq: 3, at: 0, cause: 0, n: 1 } as never;
  const one = history("agt_a", [start("operator"), intent(1, 1), intent(2, 2), outcome]);

  expect(await namesFrom([one], "agt_a", 3)).toEqual(["agt_a#3", "agt_a#1", "agt_a#0"]);
});

test("CAUSE-WALK-1: power that was given is nothing that the program was told", async () => {
  const given = { kind: "grant", seq: 1, at: 0, cause: "alice" } as never;
  const one = history("agt_a", [start("operator"), given, call(2, "operator:bob", "ask")]);

  const steps = await walkCauses(async () => one, "agt_a", 2);

  expect(steps.get("agt_a#2")?.from).toEqual(["agt_a#0", "operator:bob"]);
});

test("CAUSE-WALK-1: what a fork does comes of the fork, and of what was before it", async () => {
  const fork = {
    kind: "fork",
    seq: 2,
    at: 0,
    cause: "operator",
    from: "agt_x",
    shared: 1,
  } as never;
  const one = history("agt_a", [start("operator"), call(1, 0), fork, call(3, 1)]);

  expect(await namesFrom([one], "agt_a", 3)).toEqual(["agt_a#3", "agt_a#2", "agt_a#1", "agt_a#0"]);
});

test("CAUSE-WALK-2: the way ends where another tenant begins", async () => {
  const theirs = history("agt_t", [start("operator"), call(1, 0, "send")], 2);
  const ours = history("agt_o", [start("operator"), call(1, "agt_t#1", "receive")]);

  expect(await namesFrom([theirs, ours], "agt_o", 1)).toEqual(["agt_o#1", "agt_o#0"]);
});

test("CAUSE-WALK-3: records that lead to each other are visited once, and what is not there is passed over", async () => {
  const a = history("agt_a", [start("agt_b#1"), call(1, "agt_gone#4")]);
  const b = history("agt_b", [start("operator"), call(1, "agt_a#1"), call(2, "agt_a#99")]);

  expect(await namesFrom([a, b], "agt_b", 2)).toEqual([
    "agt_b#2",
    "agt_b#1",
    "agt_b#0",
    "agt_a#1",
    "agt_a#0",
  ]);
});
