// Backtest: what another policy would have decided for recorded calls.
//
// OPERATOR-BACKTEST-1  Runs are read a page at a time, one run's records in memory at once.

import type { BacktestReport, OnProgress } from "@aos/protocol";
import type { PolicySource } from "../api.ts";
import { PolicyComparer } from "./policy-comparison.ts";
import type { ListedProcess } from "../store/rows.ts";
import { recordedCalls, type RecordedParts } from "./recorded-calls.ts";
import { baseLayers, type Policies } from "../policy/policies.ts";

interface Parts extends RecordedParts {
  readonly policies: Policies;
}

const RUNS_A_PAGE = 500;

export async function backtest(
  parts: Parts,
  sources: readonly PolicySource[],
  sinceMs: number,
  onProgress: OnProgress = () => {},
): Promise<BacktestReport> {
  const { policies } = parts;
  const next = policies.compile(sources);
  const base = baseLayers(next);
  const comparer = new PolicyComparer(policies.current, next);
  const changes: BacktestReport["changes"][number][] = [];
  let runs = 0;
  for await (const row of runsSince(parts, sinceMs)) {
    runs += 1;
    onProgress({ done: runs, detail: `${comparer.result.calls} calls` });
    for await (const past of subjectsOf(parts, row, sinceMs, base)) {
      const change = comparer.add(past);
      if (change === undefined) continue;
      const { pid, seq, call, tool, from, to, rule } = change;
      const { atMs, agent } = past.subject;
      const at = new Date(atMs).toISOString();
      changes.push({ pid, seq, at, agent, call, tool: tool ?? null, from, to, rule });
    }
  }
  const { calls } = comparer.result;
  return {
    since: new Date(sinceMs).toISOString(),
    runs,
    calls,
    changed: changes.length,
    changes,
  };
}

/** Those with a history that lived since then, newest first. */
async function* runsSince({ store }: Parts, sinceMs: number): AsyncGenerator<ListedProcess> {
  for (let before: string | undefined; ;) {
    const page = await store.processes({
      endedSince: sinceMs,
      isKept: true,
      limit: RUNS_A_PAGE,
      ...(before === undefined ? {} : { before }),
    });
    yield* page;
    if (page.length < RUNS_A_PAGE) return;
    before = page.at(-1)!.pid;
  }
}

/** What came to the policy then: what a capability refused never did. */
async function* subjectsOf(
  parts: Parts,
  row: ListedProcess,
  sinceMs: number,
  base: readonly string[],
) {
  for await (const { subject, seq, at, err, process } of recordedCalls(parts, row)) {
    if (subject === undefined || at < sinceMs || err?.code === "EACCES") continue;
    const layers = parts.policies.layersFor(process);
    const newLayers = [...base, ...process.layers];
    yield { subject, layers, newLayers, at: { pid: row.pid, seq } };
  }
}
