// DueTicks: which ticks of a schedule are due, and which of them were missed.
//
// DUE-TICKS-1  Every tick after the cursor that is due is in the answer, in order; of more than MOST_TICKS the last
//     ones, and the answer says from when to when there are others.
// DUE-TICKS-2  A tick that is at most LATE_MS late is on time. An older one was missed while nobody looked, and the
//     catch-up rule decides: `none` starts none, `all` every one, `latest` the last of them, and that only while now is
//     nearer to it than to the one after it.

import type { Schedule } from "@aos/protocol";
import { jitterOf, type Calendar } from "./calendar.ts";

export const MOST_TICKS = 1000;
export const LATE_MS = 5000;

export interface DueTick {
  readonly nominal: number;
  readonly dueAt: number;
  /** It was missed, and is not made up for. */
  readonly isMissed: boolean;
  /** It is made up for. */
  readonly isLate: boolean;
}

export interface DueTicks {
  readonly ticks: readonly DueTick[];
  /** Others that are due, all of them missed. */
  readonly omitted: { readonly from: number; readonly to: number } | undefined;
  /** When the next one is due; undefined where there is none. */
  readonly nextAt: number | undefined;
}

interface Question {
  readonly calendar: Calendar;
  readonly name: string;
  readonly jitterMs: number;
  readonly catchUp: Schedule["catchUp"];
  readonly cursor: number;
  readonly now: number;
}

interface Tick {
  readonly nominal: number;
  readonly dueAt: number;
  readonly next: number | undefined;
}

export function dueTicks(asked: Question): DueTicks {
  const { catchUp, now } = asked;
  const { ticks, omitted, nextAt } = lastOnes(asked);
  const made = ticks.map(({ nominal, dueAt, next }, nth): DueTick => {
    const isLate = now - dueAt > LATE_MS;
    const isLast = nth === ticks.length - 1;
    const isNear = next === undefined || now - nominal < next - now;
    const isMadeUp = catchUp === "all" || (catchUp === "latest" && isLast && isNear);
    return { nominal, dueAt, isLate, isMissed: isLate && !isMadeUp };
  });
  return { ticks: made, omitted, nextAt };
}

type Found = Pick<DueTicks, "omitted" | "nextAt"> & { readonly ticks: readonly Tick[] };

/** Of a long time only its end is walked through, twice as much of it each time. */
function lastOnes(asked: Question): Found {
  const { cursor, now } = asked;
  const begun = ticksAfter(asked, cursor, MOST_TICKS);
  if (begun.isWhole) return { ...begun, omitted: undefined };
  for (let spanMs = 60_000; ; spanMs *= 2) {
    const from = Math.max(cursor, now - spanMs);
    const { ticks, nextAt } = ticksAfter(asked, from, Infinity);
    if (ticks.length < MOST_TICKS && from > cursor) continue;
    const kept = ticks.slice(-MOST_TICKS);
    return {
      ticks: kept,
      nextAt,
      omitted: { from: begun.ticks[0]!.nominal, to: kept[0]!.nominal },
    };
  }
}

/** Those that are due from this instant on; of more than so many the first. */
function ticksAfter({ calendar, name, jitterMs, now }: Question, cursor: number, most: number) {
  const ticks: Tick[] = [];
  let nominal = calendar.next(cursor);
  while (nominal !== undefined && nominal <= now) {
    const next = calendar.next(nominal);
    const dueAt = nominal + jitterOf(name, nominal, jitterMs, next);
    if (dueAt > now) return { ticks, isWhole: true, nextAt: dueAt };
    if (ticks.length === most) return { ticks, isWhole: false, nextAt: undefined };
    ticks.push({ nominal, dueAt, next });
    nominal = next;
  }
  if (nominal === undefined) return { ticks, isWhole: true, nextAt: undefined };
  const after = jitterMs === 0 ? undefined : calendar.next(nominal);
  return { ticks, isWhole: true, nextAt: nominal + jitterOf(name, nominal, jitterMs, after) };
}
