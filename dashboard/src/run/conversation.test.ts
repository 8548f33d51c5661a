import type { JournalRecord } from "@aos/protocol/words";
import { describe, expect, test } from "vitest";
import { conversationOf, textOfInput } from "./conversation.ts";
import { timelineOf } from "./timeline.ts";

const call = (seq: number, name: string, args: unknown, ok: unknown) =>
  ({
    kind: "call",
    seq,
    at: seq,
    cause: 0,
    n: seq,
    call: name,
    args,
    ok,
  }) as never as JournalRecord;

const start = {
  kind: "start",
  seq: 0,
  at: 0,
  cause: "operator",
  input: "Good morning",
} as never as JournalRecord;

const answer = (seq: number, text: string, ...tools: string[]) =>
  call(
    seq,
    "infer",
    { model: "m" },
    { text, toolCalls: tools.map((tool) => ({ id: `${seq}`, tool, args: { of: seq } })) },
  );

describe("a conversation", () => {
  test("has the input, the answers, and the tools below the answer that asked for them", () => {
    const turns = conversationOf(
      timelineOf([
        start,
        call(1, "read", { path: "/self/manifest" }, {}),
        answer(2, "I look.", "file.read", "file.read"),
        call(3, "exec", { tool: "file.read", args: { path: "/a" } }, "a"),
        call(4, "exec", { tool: "file.read", args: { path: "/b" } }, "b"),
        answer(5, "Done."),
      ]),
    );

    expect(turns.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["input", 0],
      ["answer", 2],
      ["answer", 5],
    ]);
    expect(turns[1]).toMatchObject({
      text: "I look.",
      tools: [{ step: { seq: 3 } }, { step: { seq: 4 } }],
    });
  });

  test("shows a tool call that was not carried out without a result (CONVERSATION-VIEW-2)", () => {
    const turns = conversationOf(
      timelineOf([
        answer(1, "I pay.", "pay"),
        answer(2, "Again.", "pay"),
        call(3, "exec", { tool: "pay" }, 1),
      ]),
    );

    expect(turns[0]).toMatchObject({ tools: [{ tool: "pay", step: undefined }] });
    expect(turns[1]).toMatchObject({ tools: [{ step: { seq: 3 } }] });
  });

  test("shows a message that was received as what somebody said", () => {
    const [turn] = conversationOf(
      timelineOf([call(1, "receive", {}, { from: "agt_1", body: { input: "hello" } })]),
    );

    expect(turn).toMatchObject({ kind: "input", from: "agt_1" });
    expect(textOfInput({ input: "hello" })).toBe("hello");
  });
});
