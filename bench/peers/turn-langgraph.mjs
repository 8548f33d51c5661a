// LangGraph: its agent, which is `createAgent` of `langchain` (LangGraph's own createReactAgent sends there).
//
//   --way bare      no checkpointer: it remembers nothing once it is over (default)
//   --way durable   the official SQLite saver with full fsync, durability "sync", one thread per agent

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { versionOf } from "./harness.mjs";
import { measureTurns } from "./turn-timing.mjs";
import { KEY, MODEL, QUESTION, SYSTEM, TOOL, TURNS } from "./turn-work.mjs";

await measureTurns("langgraph", async ({ origin, wire, way = "bare" }) => {
  const model = new ChatOpenAI({
    model: MODEL,
    apiKey: KEY,
    configuration: { baseURL: `${origin}/v1`, fetch: wire.fetch },
  });
  const echo = tool(async (args) => JSON.stringify(args), { ...TOOL, schema: z.looseObject({}) });
  const kept = way === "durable" ? await openSaver() : undefined;
  const agent = createAgent({ model, tools: [echo], systemPrompt: SYSTEM, checkpointer: kept?.saver });

  let threads = 0;
  const solve = async () => {
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content: QUESTION }] },
      {
        recursionLimit: 4 * TURNS,
        ...(kept && { configurable: { thread_id: `${(threads += 1)}` }, durability: "sync" }),
      },
    );
    return messages.at(-1).text;
  };
  return { version: versionOf("@langchain/langgraph"), solve, part: kept ? 0.1 : 1, close: kept?.close };
});

async function openSaver() {
  const { default: Database } = await import("better-sqlite3");
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const folder = mkdtempSync(join(process.env.AOS_BENCH_DIR ?? tmpdir(), "aos-peer-"));
  const db = new Database(join(folder, "checkpoints.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  const close = () => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { saver: new SqliteSaver(db), close };
}
