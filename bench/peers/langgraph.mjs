// LangGraph: one graph, one node that loops, one thread per agent, the official SQLite saver.
//
// Full fsync (the saver alone would leave WAL at synchronous=NORMAL: better-sqlite3 is built so)
// and durability "sync": the checkpoint is awaited before the next step starts.
//
//   --history append   every step's payload joins a list in the state, as messages do (default)
//   --history delta    the same list in the experimental DeltaChannel: writes only, rare snapshots
//   --history last     the state keeps only the newest payload: less than the other peers keep

import { join } from "node:path";
import { each, fileBytes, measure, versionOf } from "./harness.mjs";

await measure("langgraph", async (bench) => {
  // Imported here, so that a better-sqlite3 that could not be built is reported as the result.
  const { default: Database } = await import("better-sqlite3");
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const { Annotation, DeltaChannel, END, START, StateGraph } = await import("@langchain/langgraph");

  const appendAll = (list, writes) => list.concat(...writes);
  const channels = {
    append: () => Annotation({ reducer: (list, write) => list.concat(write), default: () => [] }),
    delta: () => () => new DeltaChannel(appendAll, { initialValueFactory: () => [] }),
    last: () => Annotation(),
  };
  const history = bench.options.history ?? "append";
  if (!(history in channels)) throw new Error(`--history must be one of ${Object.keys(channels).join(", ")}`);

  const db = new Database(join(bench.dir, "checkpoints.db"));
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = FULL");
  const saver = new SqliteSaver(db);

  const State = Annotation.Root({
    agent: Annotation(),
    step: Annotation(),
    until: Annotation(),
    results: channels[history](),
  });
  const graph = new StateGraph(State)
    .addNode("work", ({ agent, step }) => ({ step: step + 1, results: [bench.payload(agent, step)] }))
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ step, until }) => (step < until ? "work" : END), ["work", END])
    .compile({ checkpointer: saver });

  const work = ({ agents, steps, run }) =>
    each(agents, async (agent) => {
      const { results } = await graph.invoke(
        { agent, step: 0, until: steps },
        { configurable: { thread_id: `${run}-${agent}` }, durability: "sync", recursionLimit: steps + 10 },
      );
      const kept = history === "last" ? 1 : steps;
      if (results.length !== kept) throw new Error(`the state holds ${results.length} results, not ${kept}`);
    });

  const settle = () => {
    db.pragma("wal_checkpoint(TRUNCATE)");
    return fileBytes(bench.dir);
  };
  let before;
  const seconds = await bench.time(work, { beforeTimed: () => (before = settle()) });
  if (db.pragma("synchronous", { simple: true }) !== 2) throw new Error("the saver changed synchronous");

  // Besides one checkpoint per step each thread has one for its input and one for START.
  const checkpoints = db.prepare("select count(*) as n from checkpoints where thread_id like 'timed-%'").get().n;
  const stored = checkpoints - 2 * bench.agents;
  const diskBytes = settle() - before;
  db.close();
  return { version: versionOf("@langchain/langgraph"), seconds, diskBytes, stored, history };
});
