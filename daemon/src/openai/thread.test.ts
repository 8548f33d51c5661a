import {
  type Label,
  type Message,
  type ProcessDetail,
  type ProcessId,
  SysError,
} from "@aos/protocol";
import { expect, test } from "vitest";
import { callId } from "./ids.ts";
import { continueThread, type Thread } from "./thread.ts";

const pid = "agt_01m7g2aden5w8nsgef1vwew4zn" as ProcessId;
const NOTHING: Thread = { messages: [], label: undefined };
const SECRET: Label = { integrity: "trusted", secrecy: "secret" };

const asked: Message = { role: "user", content: "the weather?" };
const own: Message = {
  role: "assistant",
  content: "I note that.",
  toolCalls: [{ id: "v1", tool: "echo", args: {} }],
};
const noted: Message = { role: "tool", content: "noted", toolCallId: "v1" };
const handed: Message = {
  role: "assistant",
  content: "I look it up.",
  toolCalls: [{ id: "v2", tool: "get_weather", args: {} }],
};
const said = [own, noted, handed];

const kernel = (output: unknown, program = "converse") => ({
  show: async (asking: string): Promise<ProcessDetail> => {
    if (asking !== pid) throw new SysError("ENOENT", "there is no such process");
    return { program, output, labels: SECRET } as ProcessDetail;
  },
});
const turned = { said, calls: handed.toolCalls, text: "", finish: "tool" };
const past = kernel(turned);

const repeated = (id: string, content = ""): Message => ({
  role: "assistant",
  content,
  toolCalls: [{ id, tool: "get_weather", args: {} }],
});
const result = (id: string): Message => ({ role: "tool", content: "sunny", toolCallId: id });

test("OPENAI-THREAD-1: the steps of a run stand where the client repeats its call, and the result has the model's id", async () => {
  const id = callId(pid, 0);

  const { messages } = await continueThread(past, NOTHING, [asked, repeated(id), result(id)]);

  expect(messages).toEqual([asked, ...said, result("v2")]);
});

test("OPENAI-THREAD-1: what the client repeats of the run's words is there once", async () => {
  const id = callId(pid, 0);
  const words: Message[] = said
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => ({ role: "assistant", content }));
  const earlier: Message = { role: "assistant", content: "Good morning." };

  const joined: Message = { role: "assistant", content: "I note that.\n\nI look it up." };
  for (const before of [words, [joined]]) {
    const given = [asked, earlier, ...before, repeated(id), result(id)];
    const { messages } = await continueThread(past, NOTHING, given);

    expect(messages).toEqual([asked, earlier, ...said, result("v2")]);
  }
});

test("OPENAI-THREAD-2: what the run had read is joined, and a result of the client's is untrusted", async () => {
  const id = callId(pid, 0);

  const after = await continueThread(past, NOTHING, [asked, repeated(id), result(id)]);
  const before = await continueThread(past, { messages: [], label: SECRET }, [asked]);
  const plain = await continueThread(past, NOTHING, [asked]);

  expect(after.label).toEqual({ integrity: "untrusted", secrecy: "secret" });
  expect(before.label).toEqual(SECRET);
  expect(plain.label).toBeUndefined();
});

test("OPENAI-THREAD-3: a call without its result and a result without its call are refused", async () => {
  const refused = (given: Message[]) => expect(continueThread(past, NOTHING, given)).rejects;

  await refused([asked, repeated("x")]).toThrow("the call x has no result");
  await refused([asked, repeated("x"), asked]).toThrow("the call x has no result");
  await refused([asked, result("x")]).toThrow("the result of x has no matching call");
  await refused([asked, repeated("x"), result("x"), result("x")]).toThrow("has no matching call");
});

test.each([
  ["is not there", past, callId("agt_01m7g2aden5w8nsgef1vwew4zz" as ProcessId, 0)],
  ["is no conversation", kernel(turned, "agent"), callId(pid, 0)],
  ["came to nothing", kernel(null), callId(pid, 0)],
])("OPENAI-THREAD-4: of a run that %s the client's words stand", async (_, from, id) => {
  const given = [asked, repeated(id, "I look."), result(id)];

  const { messages, label } = await continueThread(from, NOTHING, given);

  expect(messages).toEqual(given);
  expect(label).toEqual({ integrity: "untrusted", secrecy: "public" });
});
