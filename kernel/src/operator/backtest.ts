// Backtest: what another policy would have said to what is recorded.

import type { BacktestReport } from "@aos/protocol";
import type { PolicySource } from "../api.ts";
import { compare } from "../policy/index.ts";
import type { ListedProcess } from "../store/rows.ts";
import { hindsight } from "./hindsight.ts";
import type { Machine } from "./machine.ts";
import { baseLayers } from "./policies.ts";

const ALL = 1_000_000;

export async function backtest(
  machine: Machine,
  sources: readonly PolicySource[],
  sinceMs: number,
): Promise<BacktestReport> {
  const { policies, store } = machine;
  const next = policies.compile(sources);
  const rows = (await store.processes({ limit: ALL })).filter(
    (row) => !row.compacted && (row.endedAt ?? Infinity) >= sinceMs,
  );
  const base = baseLayers(next);
  const past = await subjectsOf(machine, rows, sinceMs, base);
  const { changes, calls } = compare(policies.current, next, past);
  const subjects = new Map(past.map((one) => [`${one.at.pid} ${one.at.seq}`, one.subject]));
  return {
    since: new Date(sinceMs).toISOString(),
    runs: rows.length,
    calls,
    changed: changes.length,
    changes: changes.map(({ pid, seq, call, tool, from, to, rule }) => {
      const { atMs, agent } = subjects.get(`${pid} ${seq}`)!;
      const at = new Date(atMs).toISOString();
      return { pid, seq, at, agent, call, tool: tool ?? null, from, to, rule };
    }),
  };
}

/** What came to the policy then: what a capability refused never did. */
async function subjectsOf(
  machine: Machine,
  rows: readonly ListedProcess[],
  sinceMs: number,
  base: readonly string[],
) {
  const found = [];
  for (const row of rows) {
    for await (const { subject, seq, at, err, process } of hindsight(machine, row)) {
      if (subject === undefined || at < sinceMs || err?.code === "EACCES") continue;
      const layers = machine.policies.layersFor(process);
      const newLayers = [...base, ...process.layers];
      found.push({ subject, layers, newLayers, at: { pid: row.pid, seq } });
    }
  }
  return found;
}
