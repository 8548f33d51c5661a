// WaitForRun: waits until a run has ended, needs a person, or the time is up, and reports progress meanwhile.
//
// WAIT-FOR-RUN-1  Progress goes only to callers that asked for it, and every number is larger than the one before.
// WAIT-FOR-RUN-2  A caller does not wait for a question that it could answer itself.

import type { ServerContext } from "@modelcontextprotocol/server";
import { isEnded, type JournalRecord, type ProcessState } from "@aos/protocol";
import type { CallOperation } from "./operations-as.ts";
import { runQuestions } from "./run-status.ts";

/** How often it is looked whether a person is needed, and a proxy sees that somebody is there. */
const LOOK_MS = 1000;

export async function waitForRun(
  ask: CallOperation,
  pid: string,
  options: { timeoutMs: number; signal: AbortSignal; context: ServerContext },
): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const telling = tellProgress(ask, pid, { ...options, signal });
  const until = Date.now() + options.timeoutMs;
  try {
    let state: ProcessState = "running";
    for (let left = options.timeoutMs; left > 0; left = until - Date.now()) {
      ({ state } = await ask("wait", { pid, timeoutMs: Math.min(left, LOOK_MS) }, signal));
      if (isEnded(state) || options.signal.aborted) return;
      if (state === "waiting" && (await runQuestions(ask, pid, signal)).length > 0) return; // WAIT-FOR-RUN-2
    }
  } finally {
    over.abort();
    await telling;
  }
}

/** WAIT-FOR-RUN-1. */
async function tellProgress(
  ask: CallOperation,
  pid: string,
  { signal, context }: { signal: AbortSignal; context: ServerContext },
): Promise<void> {
  const { _meta, notify } = context.mcpReq;
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  try {
    for await (const record of await ask("watch", { pid }, signal)) {
      const params = { progressToken, progress: record.seq + 1, message: sayRecord(record) };
      await notify({ method: "notifications/progress", params });
    }
  } catch {
    // Who waits is told how it ended by the answer; a word on the way that is not heard is no failure.
  }
}

function sayRecord(record: JournalRecord): string {
  if (record.kind === "call" || record.kind === "intent") {
    const { tool, model } = (record.args ?? {}) as { tool?: unknown; model?: unknown };
    const what = [tool, model].find((name) => typeof name === "string");
    const isRefused = record.kind === "call" && "err" in record;
    return [record.call, what, isRefused ? "failed" : undefined]
      .filter((word) => word !== undefined)
      .join(" ");
  }
  return record.kind;
}
