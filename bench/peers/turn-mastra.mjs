// Mastra: its agent without memory or storage, which remembers nothing once it is over. It streams what the model
// says, as ours does.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { versionOf } from "./harness.mjs";
import { measureTurns } from "./turn-timing.mjs";
import { KEY, MODEL, QUESTION, SYSTEM, TOOL, TURNS } from "./turn-work.mjs";

await measureTurns("mastra", async ({ origin, wire }) => {
  const provider = createOpenAICompatible({
    name: "bench",
    baseURL: `${origin}/v1`,
    apiKey: KEY,
    includeUsage: true,
    fetch: wire.fetch,
  });
  const echo = createTool({
    id: TOOL.name,
    description: TOOL.description,
    inputSchema: z.looseObject({}),
    execute: async (args) => args,
  });
  const agent = new Agent({
    id: "clerk",
    name: "clerk",
    instructions: SYSTEM,
    model: provider(MODEL),
    tools: { [TOOL.name]: echo },
  });
  const solve = async () => (await agent.generate(QUESTION, { maxSteps: TURNS + 1 })).text;
  return { version: versionOf("@mastra/core"), solve };
});
