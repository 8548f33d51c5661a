import type { InferReply, Message } from "@aos/protocol";
import { createScriptedModels } from "@aos/drivers";
import { expect, test } from "vitest";
import { recordingName, scriptOf, type RecordedTurn } from "./recording.ts";

const usage = { inputTokens: 1, outputTokens: 1 };

const reply = (more: Partial<InferReply>): InferReply => ({
  text: "",
  toolCalls: [],
  finish: "stop",
  usage,
  ...more,
});

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

const play = (script: string, messages: readonly Message[]) =>
  createScriptedModels({ folders: [], scripts: { it: script } }).infer(
    { model: "scripted/it", messages: [...messages], maxTokens: 5 },
    { signal: new AbortController().signal, progress: () => {} } as never,
  );

const scriptFor = (turns: readonly RecordedTurn[], scrub = (text: string) => text): string =>
  scriptOf({ agent: "writer", pid: "agt_1", turns }, scrub);

test("RECORDING-1: words with braces, long ones, parallel calls and cut answers are played as they came", async () => {
  const calls = [
    { id: "x", tool: "file.read", args: { path: "/{{name}}", n: 1 } },
    { id: "y", tool: "echo", args: ["{{last}}"] },
  ];
  const script = scriptFor([
    {
      n: 9,
      model: "lab/a",
      messages: [user("a"), assistant("b"), user("c")],
      reply: reply({ text: "end", finish: "length" }),
    },
    {
      n: 2,
      model: "lab/a",
      messages: [user("a")],
      reply: reply({ text: "{{last}} and {{ odd }} ".repeat(9), toolCalls: calls, finish: "tool" }),
    },
  ]);

  const first = await play(script, [user("a")]);
  const second = await play(script, [user("a"), assistant("b"), user("c")]);

  expect(first.text).toBe("{{last}} and {{ odd }} ".repeat(9));
  expect(first.toolCalls.map(({ tool, args }) => ({ tool, args }))).toEqual(
    calls.map(({ tool, args }) => ({ tool, args })),
  );
  expect(first.finish).toBe("tool");
  expect(second).toMatchObject({ text: "end", finish: "length" });
});

test("RECORDING-2: requests that are no one conversation each find their own answer", async () => {
  const turns = [
    { messages: [user("write")], text: "first" },
    { messages: [user("write"), assistant("first"), user("more")], text: "second" },
    { messages: [user("shorten this: …")], text: "a summary" },
    { messages: [user("a summary"), assistant("first"), user("go on")], text: "third" },
  ];
  const script = scriptFor(
    turns.map(({ messages, text }, n) => ({ n, model: "lab/a", messages, reply: reply({ text }) })),
  );

  const played = await Promise.all(turns.map(({ messages }) => play(script, messages)));

  expect(played.map(({ text }) => text)).toEqual(turns.map(({ text }) => text));
});

test("RECORD-MODEL-2: secrets are taken out of words, arguments and names", () => {
  const script = scriptFor(
    [
      {
        n: 1,
        model: "lab/a",
        messages: [],
        reply: reply({
          text: "it is hunter2",
          toolCalls: [{ id: "1", tool: "echo", args: { hunter2: "hunter2" } }],
        }),
      },
    ],
    (text) => text.replaceAll("hunter2", "[gone]"),
  );

  expect(script).not.toContain("hunter2");
  expect(script).toContain("it is [gone]");
});

test("a name is one that scripted/NAME takes", () => {
  expect(recordingName("My Agent", "agt_01kx")).toBe("my-agent-agt_01kx");
  expect(recordingName("_x", "agt_1")).toBe("x-agt_1");
});
