// What an agent asks its model: what of the manifest is passed on, files, thoughts, instructions.

import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { programs } from "@aos/userland";
import { fakeSys } from "./fake-sys.ts";

const agentProgram = programs["agent"]!.run;

const PNG = "iVBORw0KGgo=";

test("temperature, effort, maxTokens and the schema are passed on; what is not said is not", async () => {
  const schema = { type: "integer" };
  const said = fakeSys({
    script: { turns: [{ say: "1" }] },
    manifest: { temperature: 0.2, effort: "low", maxTokens: "2k", output: { schema } },
  });
  const plain = fakeSys({ script: { turns: [{ say: "1" }] }, tools: [] });

  await agentProgram(said.sys, "x");
  await agentProgram(plain.sys, "x");

  expect(said.requests[0]).toMatchObject({
    temperature: 0.2,
    effort: "low",
    maxTokens: 2000,
    output: { schema },
  });
  expect(Object.keys(plain.requests[0]!)).toEqual(["model", "messages"]);
});

test("what the vendor held back is a failure, not an empty answer", async () => {
  const { sys } = fakeSys({ infer: () => ({ finish: "filter" }) });

  await expect(agentProgram(sys, "x")).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: expect.stringContaining("held its answer back"),
  });
});

test("files of the input go with the first message; another object is its JSON", async () => {
  const attachments = [{ mediaType: "image/png", data: PNG, name: "a.png" }];
  const asked = async (input: object) => {
    const { sys, shown } = fakeSys({ script: { turns: [{ say: "ok" }] } });
    await agentProgram(sys, input as never);
    return shown[0]![0];
  };

  expect(await asked({ text: "what is it?", attachments })).toEqual({
    role: "user",
    content: "what is it?",
    attachments,
  });
  expect(await asked({ attachments })).toMatchObject({ content: "Begin.", attachments });
  expect(await asked({ attachments, more: 1 })).toEqual({
    role: "user",
    content: JSON.stringify({ attachments, more: 1 }),
  });
});

const picturing = (result: object): Tool => ({
  name: "echo",
  version: "1",
  description: "",
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => result as never,
});

test.each([
  [{ mimeType: "image/png", base64: PNG, width: 4 }, '{"mimeType":"image/png","width":4}'],
  [
    {
      text: "see",
      artifacts: [{ type: "image", mimeType: "image/png", base64: PNG }, { type: "link" }],
    },
    '{"text":"see","artifacts":[{"type":"image","mimeType":"image/png"},{"type":"link"}]}',
  ],
])("a picture that a tool gives is shown as one: %j", async (result, content) => {
  const { sys, shown } = fakeSys({
    script: { turns: [{ call: [{ tool: "echo" }] }, { say: "ok" }] },
    tools: [picturing(result)],
  });

  await agentProgram(sys, "x");

  expect(shown[1]!.at(-1)).toEqual({
    role: "tool",
    content,
    toolCallId: "call_1_1",
    attachments: [{ mediaType: "image/png", data: PNG }],
  });
});

test("AGENT-TASK-3: what a model thought is given back to it, and not to the one that takes over", async () => {
  const thought = { text: "hm", meta: { signature: "s" } };
  const calls = (id: string) => ({
    toolCalls: [{ id, tool: "echo", args: { id } }],
    finish: "tool" as const,
    reasoning: [thought],
  });
  const fake = fakeSys({
    manifest: { model: ["a/low", "a/high"], escalate_on: ["cutoff"] },
    infer: ({ model, messages }) => {
      const turn = messages.filter(({ role }) => role === "assistant").length;
      if (model === "a/high") return { text: "done" };
      return turn < 2 ? calls(`c${turn}`) : { finish: "length" };
    },
  });

  expect(await agentProgram(fake.sys, "x")).toBe("done");
  const thoughts = fake.shown.map((messages) =>
    messages.flatMap(({ role, reasoning = [] }) => (role === "assistant" ? [reasoning] : [])),
  );
  expect(thoughts).toEqual([[], [[thought]], [[thought], [thought]], [[], []]]);
});

test("instructions of the project stand after the manifest's own words, the nearest last", async () => {
  const { sys, shown } = fakeSys({
    script: { turns: [{ say: "ok" }] },
    manifest: { system: "Be kind." },
    instructions: ["Use tabs.", "Use spaces."],
  });

  await agentProgram(sys, "x");

  const system = shown[0]![0]!.content;
  expect(system).toMatch(/^Be kind\.\n\nThese are the instructions of the project/);
  expect(system.indexOf("Use tabs.")).toBeLessThan(system.indexOf("Use spaces."));
});
