// Schedule: what starts runs of an agent by itself: a calendar, an interval or an event. As a file it is
// `kind: Schedule`.

import { z } from "zod";
import type { Json } from "./json.ts";
import { lanes } from "./lane.ts";
import { readCount, readDurationMs } from "./quantity.ts";
import { triggerSchema } from "./trigger.ts";
import { writtenQuantity } from "./written-quantity.ts";

const duration = writtenQuantity(readDurationMs);
const YEAR_MS = 366 * 86_400_000;

/** The name of a schedule. */
export const scheduleName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit",
  );

export const overlapRules = ["skip", "queue", "replace", "allow"] as const;
export const catchUpRules = ["latest", "none", "all"] as const;
const runLimits = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: writtenQuantity(readCount).optional(),
  toolCalls: writtenQuantity(readCount).optional(),
  wall: duration.optional(),
});

export const scheduleSchema = z
  .strictObject({
    apiVersion: z.literal("aos/v1"),
    kind: z.literal("Schedule"),
    name: scheduleName,
    description: z.string().max(1000).optional(),
    /** Five fields, six with seconds, or a name like @daily; L, W and # are understood. */
    cron: z.string().min(1).max(200).optional(),
    /** UTC unless said: never the machine's. */
    timeZone: z.string().min(1).max(100).optional(),
    /** Multiples of this since 1970, moved by `phase`; never from the last end. */
    every: duration.optional(),
    phase: duration.optional(),
    /** Spreads starts: the same one each time for the same tick, and never past the next tick. */
    jitter: duration.optional(),
    /** In place of a clock: what happens elsewhere. */
    on: triggerSchema.optional(),
    /** Of events: so many starts within an hour; what comes above them waits, or is refused for now. */
    perHour: z.number().int().min(1).max(100_000).optional(),
    /** `skip`, but `queue` for events. */
    overlap: z.enum(overlapRules).optional(),
    /** With `overlap: queue`: so many ticks wait; 1, but 100 for events. */
    queue: z.number().int().min(1).max(1000).optional(),
    catchUp: z.enum(catchUpRules).optional(),
    paused: z.boolean().optional(),
    /** So many failures in a row pause it. */
    pauseAfter: z.number().int().min(1).max(1000).default(5),
    agent: z.string().min(1).max(4096).optional(),
    /** In place of `agent`. */
    manifest: z.record(z.string(), z.unknown()).optional(),
    input: z.custom<Json>((value) => value !== undefined).optional(),
    label: z.string().min(1).max(1000).optional(),
    /** Of those of its manifest. */
    capabilities: z.array(z.string().min(1).max(10_000)).max(1000).optional(),
    lane: z.enum(lanes).optional(),
    /** Of one run. */
    budget: runLimits.optional(),
    /** Of all runs that were due within a month of the time zone: what one run may use is reserved before it starts. */
    monthly: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: writtenQuantity(readCount).optional(),
      })
      .optional(),
  })
  .superRefine((schedule, context) => {
    const say = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const { cron, every, on, agent, manifest, phase, timeZone, monthly, budget } = schedule;
    if ([cron, every, on].filter((when) => when !== undefined).length !== 1)
      say(cron === undefined ? "every" : "cron", "exactly one of cron, every and on");
    for (const field of ["jitter", "catchUp"] as const)
      if (on !== undefined && schedule[field] !== undefined) say(field, "is for a clock");
    if (on === undefined && schedule.perHour !== undefined) say("perHour", "is for events");
    if ((agent === undefined) === (manifest === undefined))
      say("agent", "exactly one of agent and manifest");
    if (every !== undefined && (every < 1000 || every > YEAR_MS)) say("every", "from 1s to 366d");
    if (every !== undefined && every % 1000 !== 0) say("every", "whole seconds");
    if (phase !== undefined && (every === undefined || phase >= every))
      say("phase", "needs `every`, and is less than it");
    if (timeZone !== undefined && !isTimeZone(timeZone))
      say("timeZone", `unknown time zone ${timeZone}: an IANA name such as Europe/Berlin`);
    for (const unit of ["usd", "tokens"] as const)
      if (monthly?.[unit] !== undefined && budget?.[unit] === undefined)
        say(
          "monthly",
          `needs \`budget.${unit}\`: what one run may use is reserved before it starts`,
        );
  })
  .transform(({ overlap, queue, catchUp = "latest", perHour = 1000, ...schedule }) => ({
    ...schedule,
    catchUp,
    perHour,
    overlap: overlap ?? (schedule.on === undefined ? ("skip" as const) : ("queue" as const)),
    queue: queue ?? (schedule.on === undefined ? 1 : 100),
  }));

/** As it is written. */
export type ScheduleText = z.input<typeof scheduleSchema>;
/** As it is read: durations in milliseconds. */
export type Schedule = z.output<typeof scheduleSchema>;
export type OverlapRule = Schedule["overlap"];

function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone !== "" && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}
