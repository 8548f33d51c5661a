// FleetReport: fleets, items and events as people are shown them.

import type {
  FleetEventReport,
  FleetItemReport,
  FleetReport,
  Json,
  ProcessId,
} from "@aos/protocol";
import type { RollVerdict } from "../../fleet/roll-verdict.ts";
import type { FleetCounts } from "../../store/fleet-reads.ts";
import type { FleetEventRow, FleetItemRow, FleetRunRow } from "../../store/fleet-rows.ts";
import { monthOf, scaleOf, stableOf, type FleetEntry } from "./fleet-spec.ts";

const shown = (ms: number): string => new Date(ms).toISOString();
const shownOrNull = (ms: number | null) => (ms === null ? null : shown(ms));
const meanUsd = (runs: readonly FleetRunRow[]): number =>
  runs.length === 0 ? 0 : runs.reduce((sum, run) => sum + run.microUsd, 0) / runs.length / 1e6;
const errorsOf = (runs: readonly FleetRunRow[]): number =>
  runs.filter(({ isError }) => isError).length;

export interface FleetFacts {
  readonly counts: FleetCounts;
  readonly running: readonly FleetItemRow[];
  /** The last 100 that ended, and those of each version. */
  readonly last: readonly FleetRunRow[];
  readonly ofVersion: ReadonlyMap<number, readonly FleetRunRow[]>;
  readonly verdict: (RollVerdict & { readonly runs: number }) | undefined;
  readonly problem: string | undefined;
  readonly limitedBy: string | null;
  readonly now: number;
}

export function fleetReport(entry: FleetEntry, facts: FleetFacts): FleetReport {
  const { row, spec, tenantName } = entry;
  const { counts, last, limitedBy, now } = facts;
  const { min, max } = scaleOf(entry);
  const isNow = row.month === monthOf(now);
  return {
    name: row.name,
    tenant: tenantName,
    agent: stableOf(entry).agent,
    state: stateOf(entry, facts),
    reason: facts.problem ?? row.draining ?? row.paused,
    replicas: row.replicas,
    min,
    max,
    running: facts.running.map((item) => ({
      item: item.id,
      pid: item.pid as ProcessId | null,
      version: item.version ?? spec.stable,
      attempt: item.attempt,
      since: shown(item.begunAt ?? row.createdAt),
    })),
    limitedBy: counts.waiting === 0 ? null : limitedBy,
    waiting: counts.waiting,
    oldestAt: shownOrNull(counts.oldestAt),
    done: counts.done,
    dead: counts.dead,
    errorRate: last.length === 0 ? null : errorsOf(last) / last.length,
    costUsd: meanUsd(last),
    month: {
      usd: isNow ? row.monthMicroUsd / 1e6 : 0,
      tokens: isNow ? row.monthTokens : 0,
    },
    versions: spec.versions.map((version) => {
      const runs = facts.ofVersion.get(version.number) ?? [];
      return {
        version: version.number,
        role: version.number === spec.stable ? ("stable" as const) : ("canary" as const),
        agent: version.agent,
        manifestHash: version.manifestHash,
        programVersion: version.programVersion,
        capabilities: [...version.capabilities],
        runs: runs.length,
        errors: errorsOf(runs),
        costUsd: meanUsd(runs),
        writtenBy: version.by,
        writtenAt: shown(version.givenAt),
      };
    }),
    roll: rollOf(entry, facts),
    fleet: spec.text as unknown as Json,
    createdAt: shown(row.createdAt),
    updatedAt: shown(row.updatedAt),
  };
}

function stateOf({ row }: FleetEntry, { problem, running }: FleetFacts): FleetReport["state"] {
  if (problem !== undefined) return "held";
  if (row.draining !== null) return running.length === 0 ? "drained" : "draining";
  return row.paused === null ? "active" : "paused";
}

function rollOf({ spec }: FleetEntry, { verdict }: FleetFacts): FleetReport["roll"] {
  const { roll } = spec;
  if (roll === null) return null;
  const { to, rule, isPaused, begunAt, by } = roll;
  return {
    from: spec.stable,
    to,
    share: rule.share,
    first: rule.first ?? null,
    sample: Math.min(rule.sample, rule.first ?? rule.sample),
    runs: verdict?.runs ?? 0,
    isPaused,
    verdict: verdict?.verdict ?? "hold",
    reason: verdict?.reason ?? "",
    begunAt: shown(begunAt),
    by,
  };
}

export const itemReport = (item: FleetItemRow, fleet: string, output: Json): FleetItemReport => ({
  fleet,
  id: item.id,
  state: item.state,
  attempt: item.attempt,
  crashes: item.crashes,
  version: item.version,
  pid: item.pid as ProcessId | null,
  reason: item.reason,
  label: item.label,
  sentAt: shown(item.sentAt),
  sentBy: item.sentBy,
  notBefore: item.state === "waiting" && item.attempt > 0 ? shown(item.notBefore) : null,
  begunAt: shownOrNull(item.begunAt),
  endedAt: shownOrNull(item.endedAt),
  costUsd: item.microUsd / 1e6,
  tokens: item.tokens,
  output,
});

export const eventReport = (event: FleetEventRow, fleet: string): FleetEventReport => ({
  fleet,
  id: event.id,
  at: shown(event.at),
  what: event.what as FleetEventReport["what"],
  by: event.by,
  detail: event.detail,
});
