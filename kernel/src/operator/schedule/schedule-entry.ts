// ScheduleEntry: a schedule as this node has it in memory.

import { scheduleSchema, SysError, type Schedule, type ScheduleText } from "@aos/protocol";
import { calendarOf, monthAt, type Calendar } from "../../schedule/calendar.ts";
import type { ScheduleRow, TickRow } from "../../store/schedule-rows.ts";

/** What was found for it when it was written, and is not in its text. */
export interface ScheduleSource {
  /** In place of a name: the agent of a project, or of a file. */
  readonly manifest?: unknown;
  readonly folder?: string;
  readonly workspace?: { readonly folder: string; readonly isCow: boolean };
}

export interface WrittenSchedule {
  readonly schedule: ScheduleText;
  readonly source: ScheduleSource;
}

/** The power of its runs. */
export interface ScheduleGrants {
  readonly capabilities: readonly string[];
  /** What stood for the agent then counts; what came later does not. */
  readonly givenAt: number;
  readonly by: string;
}

export interface ScheduleEntry {
  row: ScheduleRow;
  readonly tenantName: string;
  readonly schedule: Schedule;
  readonly source: ScheduleSource;
  readonly grants: ScheduleGrants;
  readonly calendar: Calendar;
  /** Those that wait or run, by id. */
  readonly open: Map<string, TickRow>;
  /** Why it does not count: its row is not what a person wrote. */
  problem: string | undefined;
  /** When it is to be looked at next, by the machine's clock. */
  nextAt: number;
  /** What is done to it is done one after the other. */
  turn: Promise<unknown>;
  /** Something has come for it since it was last looked at. */
  isNudged: boolean;
  /** Ticks since old ones were last removed. */
  unpruned: number;
}

export function readSchedule(text: unknown): Schedule {
  const parsed = scheduleSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])];
  const field = path.map(String).join(".") || "schedule";
  const what = unknown === undefined ? issue.message : "no such field";
  throw new SysError("EINVAL", `schedule: ${field}: ${what}`, { detail: { field } });
}

export function entryOf(row: ScheduleRow, tenantName: string): ScheduleEntry {
  const { schedule: text, source } = JSON.parse(row.spec) as WrittenSchedule;
  const schedule = readSchedule(text);
  return {
    row,
    tenantName,
    schedule,
    source,
    grants: JSON.parse(row.grants) as ScheduleGrants,
    calendar: calendarOf(schedule),
    open: new Map(),
    problem: undefined,
    nextAt: 0,
    turn: Promise.resolve(),
    isNudged: false,
    unpruned: 0,
  };
}

export const zoneOf = ({ schedule }: ScheduleEntry): string => schedule.timeZone ?? "UTC";

export const running = (entry: ScheduleEntry): TickRow[] =>
  [...entry.open.values()].filter(({ outcome }) => outcome === "started");

export const waiting = (entry: ScheduleEntry): TickRow[] =>
  [...entry.open.values()].filter(({ outcome }) => outcome === "queued");

/** Why another run within this month would be too much; undefined where it is not. */
export function budgetProblem(entry: ScheduleEntry, nominal: number): string | undefined {
  const { row, schedule } = entry;
  const { monthly, budget } = schedule;
  if (monthly === undefined) return undefined;
  const zone = zoneOf(entry);
  const month = monthAt(zone, nominal);
  const held = running(entry).filter((tick) => monthAt(zone, tick.nominal) === month);
  const isNow = row.month === month;
  const reservedUsd = held.reduce((sum, tick) => sum + tick.reservedMicroUsd, 0);
  const reservedTokens = held.reduce((sum, tick) => sum + tick.reservedTokens, 0);
  const usd = (isNow ? row.monthMicroUsd : 0) + reservedUsd + microUsdOf(entry);
  const tokens = (isNow ? row.monthTokens : 0) + reservedTokens + (budget?.tokens ?? 0);
  if (monthly.usd !== undefined && usd > Math.floor(monthly.usd * 1e6))
    return `budget: $${(usd / 1e6).toFixed(2)} with this run, of $${monthly.usd} a month`;
  if (monthly.tokens !== undefined && tokens > monthly.tokens)
    return `budget: ${tokens} tokens with this run, of ${monthly.tokens} a month`;
  return undefined;
}

/** What one run may spend. */
export const microUsdOf = ({ schedule }: ScheduleEntry): number =>
  Math.floor((schedule.budget?.usd ?? 0) * 1e6);
