// ScheduleEvent: what a trigger brings to a schedule, and what of it is kept in the row of its tick.
//
// SCHEDULE-EVENT-1  The event of a tick that waits is in its row; of one that is decided only its depth stays.
// SCHEDULE-EVENT-2  What came from outside is untrusted unless the schedule says otherwise; what a run brings has the
//     run's label, and the schedule can only add to it.

import type { Json, Label } from "@aos/protocol";
import { join, labelText, readLabel, UNLABELLED } from "../../label/label.ts";
import type { TickRow } from "../../store/schedule-rows.ts";
import type { ScheduleEntry } from "./schedule-entry.ts";

/** So many starts that led to one another. */
export const MOST_STARTS_IN_A_CHAIN = 5;

export interface ScheduleEvent {
  /** Of its tick: with the kind of the trigger before it, `webhook:…`. */
  readonly id: string;
  readonly event: Json;
  readonly label: Label;
  /** How many starts of schedules led to it. */
  readonly depth: number;
  /** When it happened, where that is not now. */
  readonly at?: number;
  /** The message that it is. */
  readonly took?: number;
  /** What the watched folder has. */
  readonly seen?: string;
}

interface Given {
  readonly event?: Json;
  readonly label?: string;
  readonly depth?: number;
}

export const givenText = ({ event, label, depth }: ScheduleEvent): string =>
  JSON.stringify({ event, label: labelText(label), depth });

const givenOf = ({ given }: Pick<TickRow, "given">): Given =>
  given === undefined || given === null ? {} : (JSON.parse(given) as Given);

/** SCHEDULE-EVENT-1. */
export function withoutEvent(row: TickRow): TickRow {
  const { depth = 0 } = givenOf(row);
  return { ...row, given: depth === 0 ? null : JSON.stringify({ depth }) };
}

export const depthOf = (row: Pick<TickRow, "given">): number => givenOf(row).depth ?? 0;

export function eventOf(row: TickRow): { event: Json; label: Label } | undefined {
  const { event, label } = givenOf(row);
  return event === undefined || label === undefined
    ? undefined
    : { event, label: readLabel(label) };
}

/** SCHEDULE-EVENT-2. */
export const outsideLabel = ({ schedule }: Pick<ScheduleEntry, "schedule">): Label =>
  schedule.label === undefined ? UNLABELLED : readLabel(schedule.label);

export const insideLabel = (
  { schedule }: Pick<ScheduleEntry, "schedule">,
  label: string | null,
): Label => {
  const its = label === null ? UNLABELLED : readLabel(label);
  return schedule.label === undefined ? its : join(its, readLabel(schedule.label));
};
