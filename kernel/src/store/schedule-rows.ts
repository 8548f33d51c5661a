// Schedule rows: schedules and their ticks as the store keeps them, and what a commit can do to them.

import type { ProcessKey, TenantKey } from "./rows.ts";
import type { Write } from "./write-kinds.ts";

/** What starts runs by itself. */
export interface ScheduleRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly name: string;
  /** The node that looks after it. */
  readonly node: string;
  /** Raised by every change that a person makes. */
  readonly revision: number;
  /** JSON text, as a person wrote it. */
  readonly spec: string;
  /** JSON text: the power of its runs, as it was when it was last given. */
  readonly grants: string;
  /** Why it is paused; null where it is not. */
  readonly paused: string | null;
  /** The last instant that has been looked at: nothing before it happens any more. */
  readonly cursor: number;
  /** In a row. */
  readonly failures: number;
  readonly skips: number;
  /** `YYYYMM`, and what runs of it have used that ended. */
  readonly month: number;
  readonly monthMicroUsd: number;
  readonly monthTokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** JSON text: what a watched folder had when it was last looked at. */
  readonly seen?: string | null;
}

export const tickOutcomes = ["queued", "started", "skipped", "failed"] as const;

/** One time that a schedule was due, or that it was run by hand. */
export interface TickRow {
  readonly schedule: number;
  /** The nominal instant; `manual:…` with the key of who asked for it; `webhook:…` and the like with the event's. */
  readonly id: string;
  readonly tenant: TenantKey;
  readonly nominal: number;
  /** With its jitter. */
  readonly dueAt: number;
  readonly at: number;
  readonly outcome: (typeof tickOutcomes)[number];
  readonly reason: string | null;
  readonly pid: string | null;
  readonly process: ProcessKey | null;
  /** Of its run, once that has ended. */
  readonly state: string | null;
  readonly exitCode: number | null;
  readonly endedAt: number | null;
  readonly reservedMicroUsd: number;
  readonly reservedTokens: number;
  readonly microUsd: number;
  readonly tokens: number;
  /** JSON text: the event that it is of; once it is decided only what a later one has to know of it. */
  readonly given?: string | null;
}

export type ScheduleChange =
  | {
      readonly op: "schedule.put";
      readonly row: ScheduleRow;
      /** The revision that it is the next of; 0 for a new one. Nothing happens where it is another. */
      readonly was: number;
    }
  | { readonly op: "schedule.remove"; readonly key: number }
  /** What it has come to; never back. */
  | { readonly op: "schedule.pass"; readonly key: number; readonly cursor: number }
  /** What a watched folder has. */
  | { readonly op: "schedule.seen"; readonly key: number; readonly seen: string }
  /** The durable subscription of its topic, with what is in its backlog. */
  | { readonly op: "backlog.drop"; readonly durable: number; readonly key: number }
  | TickWrite
  | {
      /** Its run has ended; nothing where that is known. */
      readonly op: "tick.end";
      readonly schedule: number;
      readonly id: string;
      readonly state: string;
      readonly exitCode: number | null;
      readonly endedAt: number;
      readonly isFailure: boolean;
      readonly microUsd: number;
      readonly tokens: number;
      readonly month: number;
    }
  /** Those that are over and older than `before`. */
  | {
      readonly op: "tick.prune";
      readonly schedule: number;
      readonly before: number;
    };

export const scheduleWrite = (change: ScheduleChange): Write => ({ op: "schedule", change });

/** Undefined for a write of another kind. */
export const changeOf = (write: Write): ScheduleChange | undefined =>
  write.op === "schedule" ? (write.change as ScheduleChange) : undefined;

/**
 * A tick and what it came to. Where the schedule has another revision, or the tick is there already, nothing of it
 * happens, and `birth` is not born (SCHEDULE-WRITES-1).
 */
export interface TickWrite {
  readonly op: "tick.put";
  readonly row: TickRow;
  /** It waited until now. */
  readonly wasQueued: boolean;
  readonly revision: number;
  readonly birth?: ProcessKey;
  /** Skipped ticks in a row, and what has failed in a row, after it; as they were where nothing is said. */
  readonly skips?: number;
  readonly failures?: number;
  /** The message that it came of. */
  readonly took?: number;
  /** What the watched folder had. */
  readonly seen?: string;
}
