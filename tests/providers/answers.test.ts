// What every type of provider is asked and answers, against a server that speaks the vendor's wire.

import type { Message } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { aimock, asking, plainServer, types, user } from "./rig.ts";
import { streamHeaders, wireOf } from "./wires.ts";

const tools = [
  {
    name: "file.read",
    description: "Reads.",
    input: { type: "object", properties: { path: { type: "string" } } },
  },
  {
    name: "file.list",
    description: "Lists.",
    input: { type: "object", properties: { path: { type: "string" } } },
  },
];
const twoCalls = {
  toolCalls: [
    { name: "file_read", arguments: '{"path":"/a"}', id: "call_a" },
    { name: "file_list", arguments: '{"path":"/b"}', id: "call_b" },
  ],
};

describe.each(types)("$type", (of) => {
  test("text comes piece by piece, and whole", async () => {
    const mock = await aimock();
    mock.onMessage("hello", { content: "Good morning to you" });
    const { ask, deltas } = asking(of, mock.url);

    const reply = await ask({ messages: [user("hello")] });

    expect(reply).toMatchObject({ text: "Good morning to you", toolCalls: [], finish: "stop" });
    expect(deltas.filter(({ kind }) => kind === "text").length).toBeGreaterThan(2);
    expect(deltas.map(({ text }) => text).join("")).toBe("Good morning to you");
  });

  test("a piece is passed on before the next has come", async () => {
    const { head, text, tail } = wireOf(of.type);
    let goOn: () => void = () => {};
    const heard = new Promise<void>((resolve) => (goOn = resolve));
    const origin = await plainServer(async (response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.write([...head, text].join(""));
      // Nothing more is said before the driver has passed on what was.
      await heard;
      response.end(tail.join(""));
    });
    const { ask } = asking(of, origin, {}, () => goOn());

    await expect(ask({})).resolves.toMatchObject({ text: "Hello", finish: "stop" });
  });

  test("usage is the vendor's, with what was cached and thought", async () => {
    const { head, text, tail } = wireOf(of.type);
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.end([...head, text, ...tail].join(""));
    });
    const price = { input: 1, output: 10, cachedInput: 0.1, cacheWrite: 2 };
    const { ask, driver } = asking(of, origin, { models: { "*": { price } } });

    const { usage, usd } = await ask({});

    const cache = { cachedTokens: 100 };
    const more = {
      anthropic: { ...cache, cacheWriteTokens: 20 },
      openai: { ...cache, reasoningTokens: 3 },
      "openai-chat": { ...cache, reasoningTokens: 3 },
      google: { ...cache, reasoningTokens: 3 },
      "openai-compatible": { ...cache, reasoningTokens: 3 },
      ollama: {},
    }[of.type];
    expect(usage).toEqual({ inputTokens: 130, outputTokens: 7, ...more });
    const bill =
      { anthropic: 10 + 10 + 40 + 70, ollama: 130 + 70 }[of.type as "ollama"] ?? 30 + 10 + 70;
    expect(usd! * 1e6).toBeCloseTo(bill, 6);
    expect(driver.worstCase({ model: of.model, messages: [user("hello")] }).usd).not.toBeNull();
  });

  test("usage is counted here where the vendor says nought", async () => {
    const { head, text, tail } = wireOf(of.type);
    const nought = tail.join("").replaceAll(/"(\w*(tokens|count|Count))":\d+/gi, '"$1":0');
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.end([...head, text].join("").replaceAll(/"(\w*tokens)":\d+/g, '"$1":0') + nought);
    });
    const { ask, driver } = asking(of, origin);

    const { usage } = await ask({});

    const request = { model: of.model, messages: [user("hello")] };
    expect(usage.inputTokens).toBe(driver.measure!(request).tokens);
    expect(usage.outputTokens).toBeGreaterThan(0);
  });

  test.each(["-500", "-0.5", "1e-7"])("usage of %s is no gift", async (figure) => {
    const { head, text, tail } = wireOf(of.type);
    const lying = [...head, text, ...tail]
      .join("")
      .replaceAll(/"(\w*(tokens|tokencount|eval_count))":\d+/gi, `"$1":${figure}`);
    const origin = await plainServer((response) => {
      response.writeHead(200, streamHeaders(of.type));
      response.end(lying);
    });
    const { ask } = asking(of, origin);

    // Some packages refuse such an answer themselves.
    const answer = await ask({}).catch(() => undefined);

    for (const count of Object.values(answer?.usage ?? {})) {
      expect(count).toBeGreaterThanOrEqual(0);
      expect(Number.isInteger(count)).toBe(true);
    }
    expect(answer?.usd ?? 0).toBeGreaterThanOrEqual(0);
  });

  test("two calls in one answer, by their own names", async () => {
    const mock = await aimock();
    mock.onMessage("look", twoCalls);
    const { ask, sent } = asking(of, mock.url);

    const reply = await ask({ messages: [user("look")], tools });

    expect(reply).toMatchObject({
      finish: "tool",
      toolCalls: [
        { tool: "file.read", args: { path: "/a" } },
        { tool: "file.list", args: { path: "/b" } },
      ],
    });
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
    expect(sent[0]!.text).toContain('"file_read"');
    expect(sent[0]!.text).not.toContain("file.read");
  });

  test("results go back with the calls that they answer", async () => {
    const mock = await aimock();
    mock.on({ hasToolResult: true }, { content: "both read" });
    mock.onMessage("look", twoCalls);
    const { ask, sent } = asking(of, mock.url);
    const first = await ask({ messages: [user("look")], tools });
    const results = first.toolCalls.map(({ id }, at): Message => ({
      role: "tool",
      toolCallId: id,
      content: `result ${at}`,
    }));
    const said: Message = {
      role: "assistant",
      content: first.text,
      toolCalls: [...first.toolCalls],
      ...(first.reasoning === undefined ? {} : { reasoning: [...first.reasoning] }),
    };

    const reply = await ask({ messages: [user("look"), said, ...results], tools });

    expect(reply.text).toBe("both read");
    const { text } = sent[1]!;
    expect(text).toContain("result 0");
    expect(text).toContain("result 1");
    expect(text.indexOf("result 0")).toBeLessThan(text.indexOf("result 1"));
  });

  test("an answer of a given form", async () => {
    const mock = await aimock();
    mock.onMessage("city", { content: '{"city":"Bern"}' });
    const { ask, sent } = asking(of, mock.url);
    const schema = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    };

    const reply = await ask({ messages: [user("city")], output: { schema, name: "place" } });

    expect(JSON.parse(reply.text)).toEqual({ city: "Bern" });
    const { body } = sent[0]!;
    const wanted = {
      anthropic: body["output_config"]?.format?.schema ?? body["output_format"]?.schema,
      openai: body["text"]?.format?.schema,
      "openai-chat": body["response_format"]?.json_schema?.schema,
      google: body["generationConfig"]?.responseJsonSchema,
      "openai-compatible": body["response_format"]?.json_schema?.schema,
      ollama: body["format"],
    }[of.type];
    expect(wanted).toMatchObject({ properties: { city: { type: "string" } } });
  });
});
