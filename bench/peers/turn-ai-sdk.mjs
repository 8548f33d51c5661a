// AI SDK: its own loop over tools, which remembers nothing once it is over.
//
//   --way whole    generateText: each answer in one piece (default)
//   --way stream   streamText: as ours, which shows what is being said

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { versionOf } from "./harness.mjs";
import { measureTurns } from "./turn-timing.mjs";
import { KEY, MODEL, QUESTION, SYSTEM, TOOL, TURNS } from "./turn-work.mjs";

await measureTurns("ai-sdk", async ({ origin, wire, way = "whole" }) => {
  const provider = createOpenAICompatible({
    name: "bench",
    baseURL: `${origin}/v1`,
    apiKey: KEY,
    includeUsage: true,
    fetch: wire.fetch,
  });
  const request = {
    model: provider(MODEL),
    instructions: SYSTEM,
    prompt: QUESTION,
    tools: {
      [TOOL.name]: tool({
        description: TOOL.description,
        inputSchema: z.looseObject({}),
        execute: async (args) => args,
      }),
    },
    stopWhen: isStepCount(TURNS + 1),
  };
  const ways = {
    whole: async () => (await generateText(request)).text,
    stream: async () => await streamText(request).text,
  };
  if (!(way in ways)) throw new Error(`--way must be one of ${Object.keys(ways).join(", ")}`);
  return { version: versionOf("ai"), solve: ways[way] };
});
