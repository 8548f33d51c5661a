// What goes over the wire, where it matters: keys, limits, caches, thoughts and files.

import type { Message, ProviderType } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { aimock, asking, type Body, KEY, plainServer, typeOf, types, user } from "./rig.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const tools = [
  { name: "file.read", description: "Reads.", input: { type: "object", properties: {} } },
];

async function sentBy(type: ProviderType, request: object, more: object = {}) {
  const mock = await aimock();
  mock.onMessage(/./, { content: "ok" });
  mock.on({ hasToolResult: true }, { content: "ok" });
  const asked = asking(typeOf(type), mock.url, more);
  const reply = await asked.ask(request);
  return { ...asked.sent[0]!, reply, places: asked.places, origin: mock.url };
}

const limitIn = (type: ProviderType, body: Body): number =>
  ({
    anthropic: body.max_tokens,
    openai: body.max_output_tokens,
    "openai-chat": body.max_tokens ?? body.max_completion_tokens,
    google: body.generationConfig?.maxOutputTokens,
    "openai-compatible": body.max_tokens,
    ollama: body.options?.num_predict,
  })[type];

describe.each(types)("$type", ({ type, header, model }) => {
  test("the key is in its header, for that origin, and nowhere else", async () => {
    const { headers, url, text, places, origin } = await sentBy(type, {});

    expect(headers[header]).toBe(header === "authorization" ? `Bearer ${KEY}` : KEY);
    expect(places).toEqual([{ kind: "header", origin, header }]);
    const others = Object.entries(headers).filter(([name]) => name !== header);
    expect(JSON.stringify([others, url, text])).not.toContain(KEY);
  });

  test("without a secret there is no key, not even a word in its place", async () => {
    const { headers, places } = await sentBy(type, {}, { keySecret: undefined });

    expect(places).toEqual([]);
    expect(Object.keys(headers)).not.toContain(header);
  });

  test("the limit that was counted with is sent, said or not", async () => {
    const said = await sentBy(type, { maxTokens: 77 });
    const unsaid = await sentBy(type, {}, { models: { "*": { maxOutputTokens: 5000 } } });
    const unknown = await sentBy(type, { model: "p/nobody-knows" });

    expect(limitIn(type, said.body)).toBe(77);
    expect(limitIn(type, unsaid.body)).toBe(5000);
    expect(limitIn(type, unknown.body)).toBe(8192);
    const { driver } = asking(typeOf(type), "http://127.0.0.1:1");
    const counted = driver.measure!({ model: "p/nobody-knows", messages: [user("hello")] }).tokens;
    const worst = driver.worstCase({ model: "p/nobody-knows", messages: [user("hello")] }).tokens;
    expect(worst).toBeGreaterThanOrEqual(counted + 8192);
  });

  test("an image goes along, and a text as text", async () => {
    const attachments = [
      { mediaType: "image/png", data: PIXEL },
      { mediaType: "text/csv", data: Buffer.from("a;b\n1;2").toString("base64"), name: "t.csv" },
    ];

    const { text } = await sentBy(type, { messages: [{ ...user("look"), attachments }] });

    expect(text).toContain(PIXEL);
    expect(text).toContain("a;b\\n1;2");
  });

  test("what it cannot take is refused, and nothing is sent", async () => {
    const { ask, sent } = asking(typeOf(type), "http://127.0.0.1:1");
    const attachments = [{ mediaType: "application/x-tar", data: "AAAA" }];

    await expect(ask({ messages: [{ ...user("look"), attachments }] })).rejects.toMatchObject({
      code: "EINVAL",
      message: `${model} does not accept application/x-tar`,
    });
    expect(sent).toEqual([]);
  });

  test("a tool's image reaches the model, after the result", async () => {
    const messages: Message[] = [
      user("look"),
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call_1", tool: "file.read", args: {} }],
      },
      {
        role: "tool",
        toolCallId: "call_1",
        content: "here",
        attachments: [{ mediaType: "image/png", data: PIXEL }],
      },
    ];

    const { text } = await sentBy(type, { messages, tools });

    expect(text.indexOf(PIXEL)).toBeGreaterThan(text.indexOf('"here"'));
  });

  test("arguments are an object, where a tool does not say what they are", async () => {
    const bare = [{ name: "t", description: "Does.", input: {} }];

    const { text } = await sentBy(type, { tools: bare });

    // Google is told of no arguments at all.
    if (type !== "google") expect(text).toContain('"type":"object"');
  });

  test("that a tool must be used is said", async () => {
    const { body } = await sentBy(type, { tools, toolChoice: "required" });

    const said = JSON.stringify(body.tool_choice ?? body.toolConfig?.functionCallingConfig ?? {});
    if (type !== "ollama") expect(said).toMatch(/required|any/i);
  });
});

describe("anthropic", () => {
  const ephemeral = { type: "ephemeral" };

  test("the system prompt, the tools and the newest message are to be kept", async () => {
    const messages: Message[] = [
      { role: "system", content: "be good" },
      user("first"),
      { role: "assistant", content: "yes" },
      user("second"),
    ];

    const { body } = await sentBy("anthropic", { messages, tools });

    expect(body.system.at(-1).cache_control).toEqual(ephemeral);
    expect(body.tools.at(-1).cache_control).toEqual(ephemeral);
    expect(body.messages.at(-1).content.at(-1).cache_control).toEqual(ephemeral);
    expect(body.messages[0].content.at(-1).cache_control).toBeUndefined();
  });

  test("what may be thought is part of the limit, and no more than half", async () => {
    const { body } = await sentBy("anthropic", { effort: "high", maxTokens: 4000 });
    const little = await sentBy("anthropic", { effort: "high", maxTokens: 500 });

    expect(body.max_tokens).toBe(4000);
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: 2000 });
    expect(little.body).toMatchObject({ max_tokens: 500 });
    expect(little.body.thinking).toBeUndefined();
  });

  test("a model that cannot think is not asked to", async () => {
    const { body } = await sentBy("anthropic", {
      model: "p/claude-3-5-haiku-latest",
      effort: "low",
    });

    expect(body.thinking).toBeUndefined();
  });

  test("a system message in the middle is a user's", async () => {
    const messages: Message[] = [user("one"), { role: "system", content: "careful" }, user("two")];

    const { body } = await sentBy("anthropic", { messages });

    expect(JSON.stringify(body.messages)).toContain("[system] careful");
  });

  test("thoughts that were bound to what has changed are to be dropped, not refused", async () => {
    const meta = { by: "p", data: { anthropic: { signature: "c2ln" } } };
    const messages: Message[] = [
      user("one"),
      { role: "assistant", content: "two", reasoning: [{ text: "hm", meta }] },
      user("three"),
    ];

    const { body, headers } = await sentBy("anthropic", { model: "p/claude-opus-5-5", messages });

    expect(body.thinking.block_binding).toEqual({ prefix_mismatch_behavior: "drop_block" });
    expect(headers["anthropic-beta"]).toContain("thinking-binding-controls");
    expect(JSON.stringify(body.messages)).toContain('"signature":"c2ln"');
  });
});

describe("openai", () => {
  test("nothing is kept there, and what was thought comes back sealed", async () => {
    const meta = {
      by: "p",
      data: { openai: { itemId: "rs_1", reasoningEncryptedContent: "c2VhbGVk" } },
    };
    const messages: Message[] = [
      user("one"),
      { role: "assistant", content: "two", reasoning: [{ text: "", meta }] },
      user("three"),
    ];

    const { body } = await sentBy("openai", { messages, effort: "low" });

    expect(body).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low" },
    });
    expect(JSON.stringify(body.input)).toContain('"encrypted_content":"c2VhbGVk"');
  });

  test("a form is strict only where every field is said", async () => {
    const loose = { type: "object", properties: { a: { type: "string" } } };
    const strict = { ...loose, required: ["a"], additionalProperties: false };

    const one = await sentBy("openai", { output: { schema: strict } });
    const other = await sentBy("openai", { output: { schema: loose } });

    expect(one.body.text.format.strict).toBe(true);
    expect(other.body.text.format.strict).toBe(false);
  });
});

describe("google", () => {
  test("the signature of a call goes back with it", async () => {
    const meta = { by: "p", on: "call_1", data: { google: { thoughtSignature: "c2ln" } } };
    const messages: Message[] = [
      user("look"),
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call_1", tool: "file.read", args: {} }],
        reasoning: [{ text: "", meta }],
      },
      { role: "tool", toolCallId: "call_1", content: "here" },
    ];

    const { body } = await sentBy("google", { messages, tools });

    const call = body.contents[1].parts.find((part: Body) => part.functionCall !== undefined);
    expect(call).toMatchObject({ thoughtSignature: "c2ln", functionCall: { name: "file_read" } });
  });

  test("a request that is held back says so", async () => {
    const origin = await plainServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const data = {
        promptFeedback: { blockReason: "SAFETY" },
        usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
      };
      response.end(`data: ${JSON.stringify(data)}\n\n`);
    });

    const reply = await asking(typeOf("google"), origin).ask({});

    expect(reply).toMatchObject({ text: "", finish: "filter" });
  });

  test("thoughts of another provider stay at home", async () => {
    const meta = { by: "another", data: { google: { thoughtSignature: "c2ln" } } };
    const messages: Message[] = [
      user("one"),
      { role: "assistant", content: "two", reasoning: [{ text: "secret thought", meta }] },
      user("three"),
    ];

    const { text } = await sentBy("google", { messages });

    expect(text).not.toContain("secret thought");
    expect(text).not.toContain("c2ln");
  });
});

test("ollama is told the temperature and the window where it looks for them", async () => {
  const { body } = await sentBy(
    "ollama",
    { temperature: 0.5 },
    { models: { "*": { window: 32_000 } } },
  );

  expect(body.options).toMatchObject({ temperature: 0.5, num_ctx: 32_000 });
});

test("a server that takes no schema is told the form in words", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } } };

  const { body } = await sentBy("openai-compatible", { output: { schema } }, { structured: false });

  expect(body.response_format).toEqual({ type: "json_object" });
  expect(JSON.stringify(body.messages)).toContain("city");
});
