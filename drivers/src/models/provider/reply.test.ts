import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Progress } from "@aos/protocol";
import { expect, test } from "vitest";
import { Reply } from "./reply.ts";

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
type Unified =
  | "stop"
  | "length"
  | "content-filter"
  | "tool-calls"
  | "error"
  | "interrupted"
  | "other";
const finish = (unified: Unified, raw?: string): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage,
});
const END: LanguageModelV4StreamPart = { type: "raw", rawValue: { type: "message_stop" } };
const call = (toolCallId: string, input: string): LanguageModelV4StreamPart => ({
  type: "tool-call",
  toolCallId,
  toolName: "file_read",
  input,
});

async function heard(...parts: LanguageModelV4StreamPart[]) {
  const deltas: Progress[] = [];
  const reply = new Reply({
    model: "p/m",
    provider: "p",
    names: { wire: (own) => own, own: (wire) => wire.replace("_", ".") },
    progress: (delta) => void deltas.push(delta),
    heard: () => {},
  });
  for (const part of parts) reply.take(part);
  reply.end();
  return { ...reply.whole(), deltas };
}

test("PROVIDER-REPLY-1: text and reasoning are kept apart", async () => {
  const reply = await heard(
    { type: "reasoning-start", id: "1" },
    { type: "reasoning-delta", id: "1", delta: "hm" },
    { type: "reasoning-end", id: "1", providerMetadata: { anthropic: { signature: "s" } } },
    { type: "text-delta", id: "2", delta: "yes" },
    END,
    finish("stop"),
  );

  expect(reply).toMatchObject({
    text: "yes",
    finish: "stop",
    reasoning: [{ text: "hm", meta: { by: "p", data: { anthropic: { signature: "s" } } } }],
    deltas: [
      { kind: "reasoning", text: "hm" },
      { kind: "text", text: "yes" },
    ],
  });
});

test.each<[string, LanguageModelV4StreamPart[]]>([
  ["without an end", [{ type: "text-delta", id: "1", delta: "a" }]],
  ["whose end the vendor did not say", [finish("stop")]],
  ["that was interrupted", [END, finish("interrupted")]],
])("PROVIDER-REPLY-2: a stream %s is cut", async (_, parts) => {
  await expect(heard(...parts)).rejects.toMatchObject({
    code: "EUPSTREAM",
    detail: { transient: true },
  });
});

test("PROVIDER-REPLY-2: an answer that the vendor itself gave up is none", async () => {
  const asked = heard(END, finish("error", "MALFORMED_FUNCTION_CALL"));

  await expect(asked).rejects.toThrow("MALFORMED_FUNCTION_CALL");
});

test("PROVIDER-REPLY-3: a call that was cut off is no call; one that is whole stays", async () => {
  const reply = await heard(call("a", '{"x":1}'), call("b", '{"x":'), END, finish("length"));

  expect(reply).toMatchObject({
    finish: "length",
    toolCalls: [{ id: "a", tool: "file.read", args: { x: 1 } }],
  });
});

test("PROVIDER-REPLY-3: arguments that are no JSON are the text that they are; none are an empty object", async () => {
  const reply = await heard(call("a", "{oops"), call("b", ""), END, finish("tool-calls"));

  expect(reply.toolCalls.map(({ args }) => args)).toEqual(["{oops", {}]);
  expect(reply.finish).toBe("tool");
});

test("PROVIDER-REPLY-4: who does not stop is stopped", async () => {
  const delta = "x".repeat(20_000_000);

  const asked = heard(
    { type: "text-delta", id: "1", delta },
    { type: "text-delta", id: "1", delta },
  );

  await expect(asked).rejects.toThrow("sends an answer without end");
});

test("calls with one id, or with none, get their own", async () => {
  const { toolCalls } = await heard(
    call("", "{}"),
    call("x", "{}"),
    call("x", "{}"),
    END,
    finish("stop"),
  );

  expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(3);
  expect(toolCalls.every(({ id }) => id !== "")).toBe(true);
});

test("what the vendor held back says so", async () => {
  await expect(heard(END, finish("content-filter"))).resolves.toMatchObject({ finish: "filter" });
});

test("the signature of a call is kept for it, and of words for them", async () => {
  const providerMetadata = { google: { thoughtSignature: "s" } };

  const reply = await heard(
    { type: "text-end", id: "1", providerMetadata },
    { ...call("a", "{}"), providerMetadata } as LanguageModelV4StreamPart,
    {
      ...call("b", "{}"),
      providerMetadata: { openai: { itemId: "fc" } },
    } as LanguageModelV4StreamPart,
    END,
    finish("stop"),
  );

  expect(reply.reasoning?.map(({ meta }) => (meta as { on: string }).on)).toEqual(["", "a"]);
});
