// The thread of json.query.

import { parentPort, workerData } from "node:worker_threads";
import jmespath from "jmespath";

const { json, query, most } = workerData as { json: unknown; query: string; most: number };

function answer(): { ok: string } | { error: string } {
  try {
    const text = JSON.stringify(jmespath.search(json, query) ?? null);
    return text.length > most
      ? { error: `the result has more than ${most} characters` }
      : { ok: text };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

parentPort!.postMessage(answer());
