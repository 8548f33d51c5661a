// ScheduleReport: schedules and ticks as people are shown them.

import type { Json, ProcessId, ScheduleReport, TickReport, Trigger } from "@aos/protocol";
import { jitterOf } from "../../schedule/calendar.ts";
import type { TickRow } from "../../store/schedule-rows.ts";
import {
  running,
  waiting,
  zoneOf,
  type ScheduleEntry,
  type WrittenSchedule,
} from "./schedule-entry.ts";

const shown = (ms: number): string => new Date(ms).toISOString();
const shownOrNull = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : shown(ms);

export const tickReport = (row: TickRow, schedule: string): TickReport => ({
  schedule,
  id: row.id,
  nominal: shown(row.nominal),
  dueAt: shown(row.dueAt),
  at: shown(row.at),
  outcome: row.outcome,
  reason: row.reason,
  pid: row.pid as ProcessId | null,
  state: row.state,
  exitCode: row.exitCode,
  endedAt: shownOrNull(row.endedAt),
  costUsd: row.microUsd / 1e6,
  tokens: row.tokens,
});

export function scheduleReport(
  entry: ScheduleEntry,
  problem: string | undefined,
  last: TickRow | undefined,
  wall: number,
): ScheduleReport {
  const { row, schedule, grants, tenantName, source } = entry;
  const { name, paused } = row;
  const isActive = paused === null && problem === undefined;
  const next = isActive ? entry.calendar.next(Math.max(row.cursor, wall)) : undefined;
  const after = next === undefined ? undefined : entry.calendar.next(next);
  const written = (JSON.parse(row.spec) as WrittenSchedule).schedule;
  const manifest = (source.manifest ?? schedule.manifest) as { name?: string } | undefined;
  return {
    name,
    tenant: tenantName,
    agent: schedule.agent ?? manifest?.name ?? "",
    when: whenOf(entry),
    timeZone: zoneOf(entry),
    state: problem !== undefined ? "held" : paused === null ? "active" : "paused",
    reason: problem ?? paused,
    nextAt: shownOrNull(next),
    nextStartAt:
      next === undefined ? null : shown(next + jitterOf(name, next, schedule.jitter ?? 0, after)),
    running: running(entry).map(({ pid }) => pid as ProcessId),
    queued: waiting(entry).length,
    failures: row.failures,
    skips: row.skips,
    month: { usd: row.monthMicroUsd / 1e6, tokens: row.monthTokens },
    last: last === undefined ? null : tickReport(last, name),
    capabilities: [...grants.capabilities],
    schedule: written as unknown as Json,
    writtenBy: grants.by,
    createdAt: shown(row.createdAt),
    updatedAt: shown(row.updatedAt),
  };
}

function whenOf({ schedule }: ScheduleEntry): string {
  const { cron, every = 0, on } = schedule;
  return on === undefined ? (cron ?? `every ${durationText(every)}`) : triggerText(on);
}

function triggerText({ webhook, topic, files, run }: Trigger): string {
  if (webhook !== undefined) return `webhook (${webhook.signature})`;
  if (topic !== undefined) return `topic ${topic}`;
  if (files !== undefined) return `files in ${files.folder}`;
  return `run of ${run!.agent}${run!.states === undefined ? "" : ` ${run!.states.join(", ")}`}`;
}

function durationText(ms: number): string {
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const)
    if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms / 1000}s`;
}
