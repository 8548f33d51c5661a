import { fileURLToPath } from "node:url";
import { createScriptedModels } from "@aos/drivers";
import type { Message } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { programs } from "@aos/userland";
import { fakeSys } from "./fake-sys.ts";

const agentProgram = programs["agent"]!.run;

describe("examples/hello", () => {
  const folders = [fileURLToPath(new URL("../../../examples/hello", import.meta.url))];
  const manifest = { model: "scripted/hello", tools: ["echo"] };

  test("calls a tool and answers with its result", async () => {
    const { sys, calls } = fakeSys({ folders, manifest });

    expect(await agentProgram(sys, "Good morning")).toBe(
      'Hello! The echo tool returned {"text":"Good morning"}',
    );
    expect(calls).toEqual(["read", "read", "read", "infer", "exec", "infer"]);
  });

  test("answers a second message by what it says", async () => {
    const model = createScriptedModels({ folders });
    const messages: Message[] = [
      { role: "user", content: "first" },
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "second" },
    ];

    const { toolCalls } = await model.infer({ model: "scripted/hello", messages }, {
      signal: new AbortController().signal,
      progress: () => {},
    } as never);

    expect(toolCalls).toMatchObject([{ tool: "echo", args: { text: "second" } }]);
  });

  test("says so when it may not use the tool", async () => {
    const { sys } = fakeSys({ folders, manifest, granted: [] });

    expect(await agentProgram(sys, "Good morning")).toContain(
      "I may not use the echo tool. EACCES:",
    );
  });
});
