// post: from `POST /api/v1/processes` to the first record of the journal, over the network with a token.
//
//   answered   until the daemon answers: the record is durable then
//   seen       until whoever watches the events has it
//
// One after the other, and sixteen at once. The agent is a script that ends at once.

import { median, quantile, round } from "./measure.ts";
import { ask, startDaemon, type BenchDaemon } from "./daemon.ts";

const POSTS = 300;
const AT_ONCE = 16;
const WARM_UP = 50;

const files = {
  "config.yaml": "http: { rate: { perSecond: 100k, burst: 100k } }\nlog: { level: warn }\n",
  "agents/greeter.yaml":
    '{ apiVersion: aos/v1, kind: Agent, name: greeter, model: scripted/greets, capabilities: ["model:*:infer"] }\n',
  "scripts/greets.yaml": "turns: [{ say: hello }]\n",
};

/** When the first record of each process came by. */
async function watchStarts({ url, token }: BenchDaemon) {
  const seen = new Map<string, number>();
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/events`, { headers, signal: stop.signal });
  const read = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const now = performance.now();
      text += decoder.decode(piece, { stream: true });
      const end = text.lastIndexOf("\n\n");
      for (const [, pid] of text.slice(0, Math.max(0, end)).matchAll(/^id: (agt_\w+):0$/gm))
        seen.set(pid!, now);
      if (end >= 0) text = text.slice(end);
    }
  };
  const reading = read().catch(() => {}); // it was stopped
  return { seen, close: async () => (stop.abort(), reading) };
}

export async function post(): Promise<Record<string, unknown>> {
  const daemon = await startDaemon(files);
  const watching = await watchStarts(daemon);
  try {
    const one = async () => {
      const since = performance.now();
      const { pid } = await ask<{ pid: string }>(daemon, "/processes", { agent: "greeter" });
      const answered = performance.now() - since;
      while (!watching.seen.has(pid)) await new Promise((resolve) => setTimeout(resolve, 1));
      return { answered, seen: watching.seen.get(pid)! - since };
    };
    const measure = async (lanes: number) => {
      const took: Awaited<ReturnType<typeof one>>[] = [];
      const lane = async () => {
        while (took.length < POSTS) took.push(await one());
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      const spread = (values: number[]) => ({
        p50: round(median(values), 2),
        p95: round(quantile(values, 0.95), 2),
      });
      return {
        answered: spread(took.map(({ answered }) => answered)),
        seen: spread(took.map(({ seen }) => seen)),
      };
    };
    for (let n = 0; n < WARM_UP; n++) await one();
    return {
      ours: { one: await measure(1), sixteen: await measure(AT_ONCE) },
      posts: POSTS,
      unit: "ms from the request; answered: durable and said so, seen: told to a watcher",
    };
  } finally {
    await watching.close();
    await daemon.close();
  }
}
