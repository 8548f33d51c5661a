import { StreamingToolCallTracker } from "@ai-sdk/provider-utils";
import { describe, expect, test } from "vitest";
import { ChatAnswer } from "./chat-answer.ts";
import { Reply } from "./reply.ts";

type Delta = Record<string, unknown>;
const choice = (delta: Delta | null, finish: string | null = null): object => ({
  id: "c",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const call = (index: number | undefined, more: Delta, called: Delta): Delta => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), ...more, function: called }],
});

/** What a reply is made of by these pieces: chunks, or texts as they are. */
function heard(...pieces: readonly (object | string)[]) {
  const reply = new Reply({
    model: "p/m",
    provider: "p",
    names: { wire: (own) => own, own: (wire) => wire },
    progress: () => {},
    heard: () => {},
  });
  const answer = new ChatAnswer({
    provider: "p",
    take: reply.take,
    Tracker: StreamingToolCallTracker,
  });
  for (const piece of pieces)
    answer.piece(typeof piece === "string" ? piece : JSON.stringify(piece));
  answer.end();
  reply.end();
  return { ...reply.whole(), usage: reply.usage };
}
const calls = (...pieces: readonly object[]) =>
  heard(...pieces, choice({}, "tool_calls")).toolCalls.map(({ tool, args }) => [tool, args]);

test("words, thoughts and what they cost", () => {
  const reply = heard(
    choice({ role: "assistant", content: "" }),
    choice({ reasoning_content: "h" }),
    choice({ reasoning: "m" }),
    choice({ content: "yes" }),
    choice({ content: [{ type: "text", text: "!" }, { type: "image" }] }),
    choice({
      content: [{ type: "thinking", thinking: [{ type: "text", text: "." }, null, { type: "x" }] }],
    }),
    choice(null, "stop"),
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
    "[DONE]",
  );

  expect(reply).toMatchObject({
    text: "yes!",
    finish: "stop",
    reasoning: [{ text: "hm." }],
    usage: { inputTokens: { total: 5 }, outputTokens: { total: 2 } },
  });
});

test.each([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "filter"],
  ["toString", "stop"],
])("the finish reason %s is %s", (raw, finish) => {
  expect(heard(choice({ content: "x" }, raw)).finish).toBe(finish);
});

test("a refusal is said, and is one", () => {
  expect(heard(choice({ refusal: "No." }), choice({ refusal: false }, "stop"))).toMatchObject({
    text: "No.",
    finish: "filter",
  });
});

describe("PROVIDER-CHAT-ANSWER-3: calls, as servers cut them", () => {
  test("two calls that arrive in pieces at once are put together", () => {
    expect(
      calls(
        choice(call(0, { id: "a", type: "function" }, { name: "one", arguments: "" })),
        choice(call(0, {}, { arguments: '{"x"' })),
        choice(call(1, { id: "b" }, { name: "two", arguments: "{}" })),
        choice(call(0, {}, { arguments: ":1}" })),
      ),
    ).toEqual([
      ["one", { x: 1 }],
      ["two", {}],
    ]);
  });

  test("may come whole, without an index", () => {
    expect(calls(choice(call(undefined, { id: "a" }, { name: "one", arguments: "{}" })))).toEqual([
      ["one", {}],
    ]);
  });

  test("named after they have begun", () => {
    expect(
      calls(
        choice(call(0, { id: "a" }, { arguments: '{"x"' })),
        choice(call(0, {}, { name: "one", arguments: ":1" })),
        choice(call(0, {}, { arguments: "}" })),
      ),
    ).toEqual([["one", { x: 1 }]]);
  });

  test("a call that is never named is refused", () => {
    expect(() => calls(choice(call(0, { id: "a" }, { arguments: "{}" })))).toThrow("function.name");
  });

  test("sealed: the signature is kept for the call", () => {
    const extra = { extra_content: { google: { thought_signature: "s" } } };

    const { reasoning } = heard(
      choice(call(0, { id: "a", ...extra }, { name: "one", arguments: "{}" }), "tool_calls"),
    );

    expect(reasoning).toEqual([
      { text: "", meta: { by: "p", on: "a", data: { p: { thoughtSignature: "s" } } } },
    ]);
  });
});

test("PROVIDER-CHAT-ANSWER-2: an error in the middle is a failure, in the server's words", () => {
  const error = { message: "overloaded", code: 529 };

  expect(() => heard(choice({ content: "a" }), { error })).toThrow(
    expect.objectContaining(error) as Error,
  );
  expect(() => heard({ error, choices: [] })).toThrow(expect.objectContaining(error) as Error);
  expect(heard({ ...choice({ content: "a" }, "stop"), error: null }).text).toBe("a");
});

test("PROVIDER-CHAT-ANSWER-4: an answer without a finish reason is cut", () => {
  expect(() => heard(choice({ content: "a" }), "[DONE]")).toThrow("ended prematurely");
});

const broken: readonly (readonly [string, object | string])[] = [
  ["no JSON", '{"choices": ['],
  ["no object", "[1]"],
  ["nothing", "null"],
  ["without choices", { id: "c" }],
  ["with choices that are no list", { choices: {} }],
  ["with a choice that is none", { choices: [null] }],
  ["with a finish reason that is none", { choices: [{ delta: {}, finish_reason: 1 }] }],
  ["with a delta that is none", choice([] as never)],
  ["with a content that is none", choice({ content: 1 })],
  ["with content of no parts", choice({ content: ["a"] })],
  ["with a reasoning that is none", choice({ reasoning: {} })],
  ["with calls that are no list", choice({ tool_calls: {} })],
  ["with a call that is none", choice({ tool_calls: [null] })],
  ["with a call of nothing", choice({ tool_calls: [{ index: 0 }] })],
  ["with a call whose index is none", choice(call("0" as never, {}, { name: "x" }))],
  ["with a call whose name is none", choice(call(0, {}, { name: 1 }))],
  ["with arguments that are no text", choice(call(0, {}, { name: "x", arguments: {} }))],
  ["with a seal that is none", choice(call(0, { extra_content: 1 }, { name: "x" }))],
  ["with a usage that is none", { choices: [], usage: 1 }],
];

test.each(broken)(
  "PROVIDER-CHAT-ANSWER-1: a piece %s is a failure that may be over soon",
  (_, piece) => {
    const asked = () => heard(choice({ content: "a" }), piece, choice({}, "stop"));

    expect(asked).toThrow(
      expect.objectContaining({ code: "EUPSTREAM", detail: { transient: true } }) as Error,
    );
  },
);
