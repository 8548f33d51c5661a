// Calendar: the instants at which a schedule is due.
//
//   const calendar = calendarOf({ cron: "30 2 * * *", timeZone: "Europe/Berlin" })
//   calendar.next(after)   the first instant after this one; undefined where there is none
//
// CALENDAR-1  The instants depend on the schedule alone: never on the machine's zone, on when it was created, or on
//     when a run ended.
// CALENDAR-2  A fixed hour happens once a day. Where the clocks leave it out, at the first instant after the gap; where
//     they show it twice, the first time.
// CALENDAR-3  A wildcard hour follows the clocks: what does not exist is left out, what is shown twice happens twice.
// CALENDAR-4  The pattern is looked for in what the clocks show, as if that were UTC; only here it becomes instants.

import { createHash } from "node:crypto";
import { SysError } from "@aos/protocol";
import { Cron } from "croner";
import { nextChange, offsetAt } from "./time-zone.ts";

export interface Calendar {
  next(after: number): number | undefined;
}

interface When {
  readonly cron?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly every?: number | undefined;
  readonly phase?: number | undefined;
}

/** A refusal is EINVAL. */
export function calendarOf({ cron, timeZone = "UTC", every, phase = 0 }: When): Calendar {
  if (cron !== undefined) return cronCalendar(cron, timeZone);
  if (every === undefined) return { next: () => undefined };
  return { next: (after) => (Math.floor((after - phase) / every) + 1) * every + phase };
}

function cronCalendar(pattern: string, zone: string): Calendar {
  const shown = readPattern(pattern);
  const isWildcard = hasWildcardHour(pattern);
  const find = (after: number): number | undefined => {
    const date = shown.nextRun(new Date(Math.floor(after / 1000) * 1000));
    return date === null ? undefined : date.getTime();
  };
  return {
    next(after) {
      let from = after;
      let offset = offsetAt(zone, after);
      let isIncluded = false;
      for (;;) {
        const clock = find(from + offset - (isIncluded ? 1000 : 0));
        if (clock === undefined) return undefined;
        const instant = clock - offset;
        const change = nextChange(zone, from, instant);
        if (change === undefined) {
          if (isWildcard || !wasShown(zone, clock, instant)) return instant;
          from = instant; // CALENDAR-2
          isIncluded = false;
          continue;
        }
        const later = offsetAt(zone, change);
        if (!isWildcard && clock < change + later) return change; // CALENDAR-2
        from = change; // CALENDAR-3
        offset = later;
        isIncluded = true;
      }
    },
  };
}

/** Whether the clocks have shown the same before. */
function wasShown(zone: string, clock: number, instant: number): boolean {
  const before = offsetAt(zone, instant - 86_400_000);
  const earlier = clock - before;
  return earlier < instant && offsetAt(zone, earlier) === before;
}

function readPattern(pattern: string): Cron {
  try {
    return new Cron(pattern, { timezone: "UTC", paused: true });
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, "");
    throw new SysError("EINVAL", `cron ${JSON.stringify(pattern)}: ${why}`, {
      hint: "minute hour day month weekday, e.g. `30 2 * * 1-5`; six fields begin with seconds",
    });
  }
}

function hasWildcardHour(pattern: string): boolean {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length === 1) return /^@hourly$/i.test(fields[0]!);
  return (fields.length === 5 ? fields[1] : fields[2])!.includes("*");
}

/** The same tick of the same schedule is moved by the same time, and never to the next tick. */
export function jitterOf(name: string, nominal: number, jitterMs: number, next?: number): number {
  const most = Math.min(jitterMs, (next ?? Infinity) - nominal - 1);
  if (most <= 0) return 0;
  const digest = createHash("sha256").update(`${name} ${nominal}`).digest();
  return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * most);
}

/** `YYYYMM`, as the clocks of the zone have it. */
export function monthAt(zone: string, instant: number): number {
  const shown = new Date(instant + offsetAt(zone, instant));
  return shown.getUTCFullYear() * 100 + shown.getUTCMonth() + 1;
}
