import type { Message, SyscallArgs } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { ChatRequests } from "./chat-request.ts";
import { toolNames } from "./tool-names.ts";
import { vendors } from "./vendors.ts";

const { takes } = vendors["openai-compatible"];
const user = (content: string, more: Partial<Message> = {}): Message => ({
  role: "user",
  content,
  ...more,
});
const tools = [{ name: "file.read", description: "Reads.", input: { properties: {} } }];
const called = (more: Partial<Message> = {}): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id: "call_1", tool: "file.read", args: { path: "/a" } }],
  ...more,
});

function bodyOf(
  request: Partial<SyscallArgs<"infer">>,
  { requests = new ChatRequests({ provider: "p", takes }), structured = true } = {},
) {
  const asked = { model: "p/m", messages: [user("hello")], ...request };
  const fitting = { request: asked, model: "m", maxTokens: 77, window: null, provider: "p" };
  const text = requests.bodyOf(fitting, toolNames(asked), { structured });
  return JSON.parse(text) as Record<string, never> & { messages: Record<string, unknown>[] };
}
const messagesOf = (...messages: Message[]) => bodyOf({ messages, tools }).messages;

test("a request says what it wants, and how long its answer may be", () => {
  expect(bodyOf({ tools, temperature: 0, effort: "low", toolChoice: "required" })).toEqual({
    model: "m",
    max_tokens: 77,
    temperature: 0,
    reasoning_effort: "low",
    messages: [{ role: "user", content: "hello" }],
    tools: [
      {
        type: "function",
        function: {
          name: "file_read",
          description: "Reads.",
          parameters: { type: "object", properties: {} },
        },
      },
    ],
    tool_choice: "required",
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(Object.keys(bodyOf({ tools: [], toolChoice: "auto" }))).not.toContain("tool_choice");
});

test("the form of an answer, for a server that takes a schema and for one that does not", () => {
  const output = { schema: { type: "object" }, name: "a place" };

  expect(bodyOf({ output })).toMatchObject({
    response_format: {
      type: "json_schema",
      json_schema: { schema: { type: "object" }, strict: true, name: "a_place" },
    },
  });
  const told = bodyOf({ output }, { structured: false });
  expect(told).toMatchObject({ response_format: { type: "json_object" } });
  expect(told.messages[0]).toMatchObject({ role: "system" });
});

describe("messages", () => {
  test("have calls and their results in the form of the API", () => {
    expect(
      messagesOf(
        { role: "system", content: "be good" },
        user(""),
        called({ reasoning: [{ text: "hm", meta: { by: "p" } }] }),
        { role: "tool", toolCallId: "call_1", content: "" },
        { role: "assistant", content: "done" },
        { role: "assistant", content: "" },
      ),
    ).toEqual([
      { role: "system", content: "be good" },
      { role: "user", content: "(nothing)" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "file_read", arguments: '{"path":"/a"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "(nothing)" },
      { role: "assistant", content: "done" },
    ]);
  });

  test("thoughts of another provider stay at home; a seal goes back with its call", () => {
    const data = { p: { thoughtSignature: "s" } };
    const reasoning = [
      { text: "theirs", meta: { by: "q" } },
      { text: "", meta: { by: "p", on: "call_1", data } },
      { text: "", meta: { by: "q", on: "call_1", data: { p: { thoughtSignature: "x" } } } },
    ];

    const [message] = messagesOf(called({ reasoning }));

    expect(JSON.stringify(message)).not.toContain("theirs");
    expect(message).toMatchObject({
      tool_calls: [{ extra_content: { google: { thought_signature: "s" } } }],
    });
  });

  test("arguments that a model wrote wrongly are in an object", () => {
    const [message] = messagesOf(called({ toolCalls: [{ id: "a", tool: "t", args: "{oops" }] }));

    expect(message).toMatchObject({
      tool_calls: [{ function: { arguments: '{"input":"{oops"}' } }],
    });
  });

  test("CHAT-REQUEST-1: files are sent, and those of a tool follow all results", () => {
    const png = { mediaType: "image/png", data: "AAAA" };
    const answer = (toolCallId: string, more: Partial<Message> = {}): Message => ({
      role: "tool",
      toolCallId,
      content: "here",
      ...more,
    });
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

    expect(
      messagesOf(
        user("", {
          attachments: [
            { mediaType: "audio/mpeg", data: "BBBB" },
            { mediaType: "application/pdf", data: "CCCC" },
            { mediaType: "text/plain", data: Buffer.from("hi").toString("base64"), name: "n" },
          ],
        }),
        answer("1", { attachments: [png] }),
        answer("2"),
        user("go"),
        answer("3", { attachments: [png] }),
      ),
    ).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "(attached)" },
          { type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } },
          {
            type: "file",
            file: { filename: "document.pdf", file_data: "data:application/pdf;base64,CCCC" },
          },
          { type: "text", text: "[n, text/plain]\nhi" },
        ],
      },
      { role: "tool", tool_call_id: "1", content: "here" },
      { role: "tool", tool_call_id: "2", content: "here" },
      { role: "user", content: [{ type: "text", text: "Files of the result of 1:" }, image] },
      { role: "user", content: "go" },
      { role: "tool", tool_call_id: "3", content: "here" },
      { role: "user", content: [{ type: "text", text: "Files of the result of 3:" }, image] },
    ]);
  });
});

test("CHAT-REQUEST-2: a message is written once, and anew where its tools have other names", () => {
  const requests = new ChatRequests({ provider: "p", takes });
  let reads = 0;
  const shown: Message = {
    role: "user",
    get content() {
      reads += 1;
      return "hello";
    },
  };
  const messages = [shown, called()];
  const rival = { name: "file_read", description: "Another.", input: {} };

  const first = bodyOf({ messages, tools }, { requests });
  const again = bodyOf({ messages: [...messages, user("more")], tools }, { requests });
  const other = bodyOf({ messages, tools: [...tools, rival] }, { requests });

  expect(reads).toBe(1);
  expect(again.messages.slice(0, 2)).toEqual(first.messages);
  expect(first.messages[1]).toMatchObject({ tool_calls: [{ function: { name: "file_read" } }] });
  const [tool] = other["tools"] as unknown as { function: { name: string } }[];
  expect(tool!.function.name).not.toBe("file_read");
  expect(other.messages[1]).toMatchObject({
    tool_calls: [{ function: { name: tool!.function.name } }],
  });
});
