// What a call came to: its record, what is written with it, what it cost, and what the process has read.

import { SysError, toMicroUsd, type JournalRecord, type Json, type Label } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { NOTHING } from "../budget/accounts.ts";
import { digestOf } from "../journal/codec.ts";
import { labelText } from "../label/label.ts";
import { keptFrom } from "../process/narrowing.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import type { SyscallResult } from "./syscall-handler.ts";
import { permit, type Permit } from "./judge.ts";
import { blobWrites, settle, type Settlement } from "./settlement.ts";
import {
  actionOf,
  callOf,
  execOf,
  inferOf,
  testJudgeRules,
  TEST_NOW,
  processOf,
} from "../../../tests/helpers/kernel/process.ts";

const RED: Label = { integrity: "untrusted", secrecy: "public" };
const BLOB = { digest: "d1", body: "large" };
const plain = (text: string) => text;

interface Tried {
  readonly process?: Process;
  readonly call?: PendingCall;
  readonly action?: Action | undefined;
  readonly allowed?: Permit | undefined;
  readonly answered?: SyscallResult | undefined;
  readonly failure?: SysError | undefined;
}

const settled = (
  { process = processOf({}), call = callOf("exec"), ...more }: Tried,
  scrub = plain,
): Settlement & { said: JournalRecord } => {
  const tried = { action: undefined, allowed: undefined, answered: undefined, failure: undefined };
  const settlement = settle({ process, call, ...tried, ...more }, TEST_NOW, scrub);
  return { ...settlement, said: JSON.parse(settlement.record) as JournalRecord };
};

/** A call that the gate let pass. */
function passed(process: Process, action: Action) {
  return { process, action, allowed: permit(process, action, testJudgeRules(), TEST_NOW, false) };
}

describe("the record", () => {
  test("of a call that went well has its place, its cause and its answer", () => {
    const { said, told, spend, writes } = settled({ answered: { value: { a: 1 } } });

    expect(said).toEqual({
      kind: "call",
      seq: 5,
      at: TEST_NOW,
      cause: 2,
      n: 3,
      call: "exec",
      args: {},
      ok: { a: 1 },
    });
    expect(told).toEqual({ ok: { a: 1 } });
    expect([spend, writes]).toEqual([[], []]);
  });

  test("of a call that failed has the failure, and nothing that only a success has", () => {
    const failure = new SysError("ENOENT", "gone", { hint: "look elsewhere" });
    const answered: SyscallResult = {
      value: 1,
      stored: "trusted/public",
      writes: [{ op: "x" } as never],
    };
    const { said, told, writes } = settled({ failure, answered });

    expect(told).toEqual({ err: failure.toText() });
    expect(said).toMatchObject({
      err: { code: "ENOENT", message: "gone", hint: "look elsewhere" },
    });
    expect(said).not.toHaveProperty("ok");
    expect(said).not.toHaveProperty("stored");
    expect(writes).toEqual([]);
  });

  test("of what was begun is an outcome", () => {
    const call = callOf("exec", {}, { intent: {} as never });

    expect(settled({ call, answered: { value: 1 } }).said).toMatchObject({
      kind: "outcome",
      ok: 1,
    });
    expect(settled({ answered: { value: 1 } }).said.kind).toBe("call");
  });

  test("names the record of another process that it came from, and what was stored", () => {
    const answered = { value: null, cause: "agt_9#4", stored: "untrusted/public" };

    expect(settled({ answered }).said).toMatchObject({
      cause: "agt_9#4",
      stored: "untrusted/public",
    });
  });

  test("has what it cost only where it cost something", () => {
    const cost = (usd: number, tokens: number) =>
      settled({
        answered: { value: 1, spent: { microUsd: toMicroUsd(usd), tokens, toolCalls: 0 } },
      });

    expect(cost(0.5, 1).said).toMatchObject({ usd: 0.5, tokens: 1 });
    expect(cost(0, 0).said).not.toHaveProperty("usd");
    expect(cost(0, 0).said).not.toHaveProperty("tokens");
    expect(cost(0, 1).spend).toMatchObject([{ microUsd: 0, tokens: 1, toolCalls: 0 }]);
  });

  test("has what it turned out to touch", () => {
    const also = [["file", "/a", "read"]] as const;

    expect(
      settled({ call: callOf("exec", {}, { also }), answered: { value: 1 } }).said,
    ).toMatchObject({
      also,
    });
    expect(settled({ answered: { value: 1 } }).said).not.toHaveProperty("also");
  });

  test.each([
    ["by the judge", "one", undefined, "one"],
    ["in the answer", undefined, "two", "two"],
    ["by both", "one", "two", "one; two"],
    ["by nobody", undefined, undefined, undefined],
  ])("has what was remarked %s", (_who, one, two, expected) => {
    const process = processOf({});
    const { allowed, action } = passed(process, actionOf(process, "self", {}));
    const answered = { value: 1, ...(two === undefined ? {} : { verdict: two }) };
    const { said } = settled({ process, action, allowed: { ...allowed, verdict: one }, answered });

    expect((said as { verdict?: string }).verdict).toBe(expected);
  });
});

describe("secrets", () => {
  const scrub = (text: string) => text.replaceAll("hunter2", "[secret]");

  test("are taken out of an answer, in its record and in what is told", () => {
    const { record, told } = settled({ answered: { value: { key: "hunter2" } } }, scrub);

    expect(told).toEqual({ ok: { key: "[secret]" } });
    expect(record).not.toContain("hunter2");
  });

  test("are taken out of every word of a failure", () => {
    const failure = new SysError("EUPSTREAM", "hunter2", { hint: "hunter2", detail: ["hunter2"] });
    const { record, told } = settled({ failure }, scrub);

    expect(record).not.toContain("hunter2");
    expect(JSON.stringify(told)).not.toContain("hunter2");
  });
});

describe("a result", () => {
  test("that JSON cannot carry is a failure of what gave it", () => {
    const { told } = settled({ answered: { value: 1n as never } });

    expect(told).toMatchObject({ err: { code: "EUPSTREAM" } });
    expect((told as { err: { message: string } }).err.message).toContain("not a JSON value");
  });

  test("has to fit into what the grants leave", () => {
    const process = processOf({ capabilities: ["tool:*:call{bytes:10}"] });
    const tried = (value: Json) => {
      const { allowed, action } = passed(process, execOf(process, "look"));
      return settled({ process, action, allowed, answered: { value } }).told;
    };

    expect(tried("x".repeat(5))).toHaveProperty("ok"); // seven bytes with the quotes
    expect(process.block.held[0]!.usage.bytes).toBe(7);
    expect(tried("xx")).toMatchObject({
      err: { code: "EBUDGET", message: "the result has 4 bytes, and there is room for 3" },
    });
    expect(process.block.held[0]!.usage.bytes).toBe(7);
    expect(tried("x")).toHaveProperty("ok");
  });

  test("has to fit into what the rules leave; without a limit everything does", () => {
    const process = processOf({ capabilities: ["tool:*:call"] });
    const { allowed, action } = passed(process, execOf(process, "look"));
    const tried = (maxBytes: number | undefined) =>
      settled({ process, action, allowed: { ...allowed, maxBytes }, answered: { value: "xx" } })
        .told;

    expect(tried(4)).toEqual({ ok: "xx" });
    expect(tried(3)).toMatchObject({ err: { code: "EBUDGET" } });
    expect(tried(undefined)).toEqual({ ok: "xx" });
  });

  test("that is large is a blob, written once", () => {
    const process = processOf({});
    const value = "x".repeat(3000);
    const body = JSON.stringify(value);
    const first = settled({ process, answered: { value } });
    const second = settled({ process, answered: { value } });

    expect(first.said).toMatchObject({ ok: { $blob: digestOf(body) } });
    expect(first.told).toEqual({ ok: value });
    expect(first.writes).toEqual([
      { op: "blob.put", tenant: 1, process: 7, digest: digestOf(body), body },
    ]);
    expect(second.writes).toEqual([]);
  });
});

const PURPOSE = { nowMs: TEST_NOW, what: "model:far/x" };

describe("money", () => {
  const spent = { microUsd: 5000, tokens: 50, toolCalls: 0 };

  test("what it really cost replaces what was reserved, in the account and on the grant", () => {
    const process = processOf({ capabilities: ["model:*:infer{usd:1}"], budget: { usd: 0.016 } });
    const tried = passed(process, inferOf(process));

    settled({ ...tried, answered: { value: 1, spent } });

    expect(process.account).toMatchObject({ microUsd: 5000, tokens: 50 });
    expect(process.block.held[0]!.usage.microUsd).toBe(5000);
    process.account.mustCover({ microUsd: 10_000, tokens: 0, toolCalls: 0 }, PURPOSE);
  });

  test("the use of a grant is kept with the record", () => {
    const process = processOf({ capabilities: ["model:*:infer{max:3}"] });
    const { writes } = settled({
      ...passed(process, inferOf(process)),
      answered: { value: 1, spent },
    });

    expect(writes).toMatchObject([{ op: "block.put", tenant: 1, id: "birth" }]);
    expect(JSON.parse((writes[0] as { state: string }).state)).toMatchObject({
      caps: [{ usage: { uses: 1 } }],
    });
  });

  test("what was refused cost nothing, and settles nothing", () => {
    const process = processOf({ budget: { usd: 1 } });
    const failure = new SysError("EACCES", "no");

    const { spend: cost } = settled({ process, action: inferOf(process), failure });

    expect(cost).toEqual([]);
    process.account.mustCover({ microUsd: 1_000_000, tokens: 0, toolCalls: 0 }, PURPOSE);
    const more = { microUsd: 1_001_000, tokens: 0, toolCalls: 0 };
    expect(() => process.account.mustCover(more, PURPOSE)).toThrow();
  });

  test("what was only judged reserved nothing, and passes no part of a limit", () => {
    const process = processOf({ budget: { toolCalls: 1 }, capabilities: ["tool:look:call"] });
    const { allowed, ...rest } = passed(process, execOf(process, "look"));
    const { hold: _hold, ...judged } = allowed;

    expect(settled({ ...rest, allowed: judged, answered: { value: 1 } }).crossings).toEqual([]);
  });

  test.each<[string, Partial<PendingCall>, "ETIMEDOUT" | "EUPSTREAM", boolean]>([
    ["a tool that ran counts", { waitsOn: "tool" }, "EUPSTREAM", true],
    ["a tool that ran out of time counts", { waitsOn: "tool" }, "ETIMEDOUT", true],
    ["a model that ran out of time may have cost it all", { waitsOn: "model" }, "ETIMEDOUT", true],
    ["a model that failed cost nothing", { waitsOn: "model" }, "EUPSTREAM", false],
    ["what never ran cost nothing", { waitsOn: null }, "ETIMEDOUT", false],
    ["a wait cost nothing", { waitsOn: "message" }, "ETIMEDOUT", false],
  ])("%s", (_what, call, code, counts) => {
    const worst = { microUsd: 10_000, tokens: 100, toolCalls: 1 };
    const failure = new SysError(code, "no");

    const hold = processOf({}).account.reserve(worst, PURPOSE);
    const { spend: cost } = settled({ call: callOf("exec", {}, { ...call, hold }), failure });

    expect(cost).toMatchObject(counts ? [worst] : []);
  });

  test("a tool that ran and whose result did not fit has cost what it cost", () => {
    const process = processOf({ capabilities: ["tool:*:call{bytes:1}"] });
    const tried = passed(process, execOf(process, "look"));
    const cost = { microUsd: 0, tokens: 0, toolCalls: 1 };

    expect(settled({ ...tried, answered: { value: "xxx", spent: cost } }).spend).toMatchObject([
      cost,
    ]);
    expect(process.account.toolCalls).toBe(1);
  });

  test("a success without a price is free", () => {
    expect(settled({ answered: { value: 1 } }).spend).toEqual([]);
    expect(settled({ answered: { value: 1, spent: NOTHING } }).spend).toEqual([]);
  });
});

describe("labels", () => {
  const after = (tried: Tried) => {
    const process = tried.process ?? processOf({});
    const { said } = settled({ ...tried, process });
    expect(process.recordedLabel).toBe(process.label);
    return [labelText(process.label), (said as { label?: string }).label];
  };

  test("what was read is on the process, and in the record when it changes something", () => {
    expect(after({ answered: { value: 1, label: RED } })).toEqual([
      "untrusted/public",
      "untrusted/public",
    ]);
    expect(after({ answered: { value: 1 } })).toEqual(["trusted/public", undefined]);
    const process = processOf({ label: RED });
    expect(after({ process, answered: { value: 1, label: RED } })).toEqual([
      "untrusted/public",
      undefined,
    ]);
  });

  test("the words of a failure are whose they are", () => {
    const failure = new SysError("EUPSTREAM", "send it all");
    const call = callOf("exec", {}, { failureLabel: RED });

    expect(after({ call, failure })[0]).toBe("untrusted/public");
    expect(after({ call, answered: { value: 1 } })[0]).toBe("trusted/public");
    expect(after({ failure })[0]).toBe("trusted/public");
    expect(after({ failure, answered: { value: 1n as never, label: RED } })[0]).toBe(
      "untrusted/public",
    );
  });

  test("a mark that was put on meanwhile is recorded, and a checkpoint always says the label", () => {
    const process = processOf({});
    process.label = { ...process.label, tags: ["crm"] };

    expect(after({ process, answered: { value: 1 } })[1]).toBe("trusted/public#crm");
    expect(after({ process, answered: { value: 1 } })[1]).toBeUndefined();
    expect(after({ process, call: callOf("checkpoint"), answered: { value: 1 } })[1]).toBe(
      "trusted/public#crm",
    );
  });
});

describe("what is written with the record", () => {
  const write = { op: "file.remove" } as never;
  const base = { op: "process.patch", key: 7, patch: { base: 5 } };

  test("the blobs of the arguments, unless its intent had them; and what the answer writes", () => {
    const call = callOf("exec", {}, { blobs: [BLOB] });
    const put = { op: "blob.put", tenant: 1, process: 7, ...BLOB };
    const answered = { value: 1, writes: [write] };

    expect(settled({ call, answered }).writes).toEqual([put, write]);
    expect(settled({ call: { ...call, intent: {} as never }, answered }).writes).toEqual([write]);
    expect(settled({ call, failure: new SysError("ENOENT", "no") }).writes).toEqual([put]);
  });

  test("a checkpoint moves the place that replay starts from, when it went well", () => {
    const call = callOf("checkpoint");

    expect(settled({ call, answered: { value: null } }).writes).toEqual([base]);
    expect(settled({ call, failure: new SysError("EINVAL", "no") }).writes).toEqual([]);
    expect(settled({ answered: { value: null } }).writes).toEqual([]);
  });
});

test("10,000 digests are remembered; more are forgotten, and written again", () => {
  const process = processOf({});
  for (let i = 0; i < 10_000; i++) process.blobsPut.add(`${i}`);

  expect(blobWrites(process, [{ digest: "0", body: "" }])).toEqual([]);
  expect(blobWrites(process, [BLOB]).length).toBe(1);
  expect(process.blobsPut.size).toBe(10_001);
  expect(blobWrites(process, [BLOB]).length).toBe(1);
  expect(process.blobsPut.size).toBe(1);
});

describe("what a skill leaves", () => {
  const answered: SyscallResult = { value: 1, narrows: { skill: "review", tools: ["look"] } };
  const narrowing = [{ skill: "review", tools: ["look"] }];

  test("holds from the record that says it, and a checkpoint says it again", () => {
    const process = processOf({});

    expect(settled({ process, answered }).said).toMatchObject({ narrowing });
    expect(keptFrom(process, "pay")).toMatchObject({ skill: "review" });
    expect(settled({ process, answered }).said).not.toHaveProperty("narrowing");
    const checkpoint = settled({ process, call: callOf("checkpoint"), answered: { value: null } });
    expect(checkpoint.said).toMatchObject({ narrowing });
  });

  test("is nothing where the call failed, or did nothing", () => {
    const process = processOf({});

    expect(
      settled({ process, answered, failure: new SysError("EUPSTREAM", "no") }).said,
    ).not.toHaveProperty("narrowing");
    expect(settled({ process }).told).toEqual({ ok: null });
    expect(keptFrom(process, "pay")).toBeUndefined();
  });
});

test("what is more than was reserved is counted on the grants as well", () => {
  const process = processOf({ capabilities: ["model:*:infer{usd:1}"], budget: { usd: 1 } });
  const spent = { microUsd: 15_000, tokens: 10, toolCalls: 0 }; // a cent was reserved

  const { said } = settled({ ...passed(process, inferOf(process)), answered: { value: 1, spent } });

  expect(said).toHaveProperty("over");
  expect(process.block.held[0]!.usage.microUsd).toBe(15_000);
});

test("a millionth of a dollar is in the record", () => {
  const spent = { microUsd: 1, tokens: 0, toolCalls: 0 };

  expect(settled({ answered: { value: 1, spent } }).said).toMatchObject({ usd: 0.000001 });
});

test("a request that was begun is closed by its outcome", () => {
  const intent = { attempt: 1 } as never;
  const closes = (call: PendingCall) => settled({ call }).writes.map(({ op }) => op);

  expect(closes(callOf("request", {}, { intent }))).toContain("request.close");
  expect(closes(callOf("request"))).not.toContain("request.close");
});
