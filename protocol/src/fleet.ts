// Fleet: replicas of one agent that work on a queue of items. As a file it is `kind: Fleet`.

import { z } from "zod";
import { schemaFlaw } from "./body-schema.ts";
import type { Json } from "./json.ts";
import { lanes } from "./lane.ts";
import { readCount, readDurationMs } from "./quantity.ts";
import { writtenQuantity } from "./written-quantity.ts";

const duration = writtenQuantity(readDurationMs);
/** The most replicas of one fleet. */
export const MOST_REPLICAS = 1000;
const replicaCount = z.number().int().min(0).max(MOST_REPLICAS);

/** The name of a fleet. */
export const fleetName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit",
  );

const scaleRule = z.strictObject({
  min: replicaCount.default(0),
  max: replicaCount.min(1),
  /** So many unfinished items for each replica. */
  target: z.number().int().min(1).max(1_000_000).default(5),
  /** While the oldest waiting item is older than this, another replica is added. */
  age: duration.optional(),
  /** So long fewer replicas must have been enough before one is taken away. */
  coolDown: duration.default(300_000),
});

const restartRule = z.strictObject({
  /** How often an item is begun, the times counted that the host died while it ran. */
  attempts: z.number().int().min(1).max(100).default(3),
  backoff: duration.default(1000),
  maxBackoff: duration.default(60_000),
  /** What becomes of an item whose failed attempt had external effects. */
  afterEffects: z.enum(["stop", "retry"]).default("stop"),
});

const rollRule = z.strictObject({
  /** The part of the items that the new version gets. */
  share: z.number().gt(0).max(1).default(0.1),
  /** In place of `share`: the new version gets so many items, the next ones. */
  first: z.number().int().min(1).max(10_000).optional(),
  /** Runs of the new version after which it is promoted. */
  sample: z.number().int().min(1).max(10_000).default(40),
  /** Runs of the stable version without which nothing is promoted. */
  baseline: z.number().int().min(0).max(10_000).default(10),
  /** How much more often the new version may fail. */
  margin: z.number().min(0).max(1).default(0.02),
  /** How many times as much it may cost. */
  costRatio: z.number().min(1).max(1000).default(1.2),
  /** One run of it that costs more ends the roll. */
  maxUsd: z.number().positive().optional(),
});

export const fleetSchema = z
  .strictObject({
    apiVersion: z.literal("aos/v1"),
    kind: z.literal("Fleet"),
    name: fleetName,
    description: z.string().max(1000).optional(),
    agent: z.string().min(1).max(4096).optional(),
    /** In place of `agent`. */
    manifest: z.record(z.string(), z.unknown()).optional(),
    /** Of those of its manifest. */
    capabilities: z.array(z.string().min(1).max(10_000)).max(1000).optional(),
    /** A fixed number; in place of `scale`. */
    replicas: replicaCount.optional(),
    scale: scaleRule.optional(),
    restart: restartRule.prefault({}),
    roll: rollRule.prefault({}),
    /** JSON Schema of the items; the manifest's `input` or `mailbox` unless said. */
    schema: z
      .record(z.string(), z.unknown())
      .superRefine((schema, context) => {
        const flaw = schemaFlaw(schema as Json);
        if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
      })
      .optional(),
    /** Items come from this topic or pattern too. */
    topic: z.string().min(1).max(200).optional(),
    /** Joined with what an item has. */
    label: z.string().min(1).max(1000).optional(),
    /** So many items wait at most. */
    queue: z.number().int().min(1).max(100_000).default(10_000),
    lane: z.enum(lanes).optional(),
    /** Of one run. */
    budget: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: writtenQuantity(readCount).optional(),
        toolCalls: writtenQuantity(readCount).optional(),
        wall: duration.optional(),
      })
      .optional(),
    /** Of all runs of a UTC month: what one run may use is reserved before it starts. */
    monthly: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: writtenQuantity(readCount).optional(),
      })
      .optional(),
  })
  .superRefine((fleet, context) => {
    const say = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    const { agent, manifest, replicas, scale, monthly, budget, restart } = fleet;
    if ((agent === undefined) === (manifest === undefined))
      say("agent", "exactly one of agent and manifest");
    if (replicas !== undefined && scale !== undefined)
      say("replicas", "is for a fixed number: `scale` has min and max");
    if (scale !== undefined && scale.min > scale.max) say("scale", "min is more than max");
    if (restart.backoff > restart.maxBackoff) say("restart", "backoff is more than maxBackoff");
    for (const unit of ["usd", "tokens"] as const)
      if (monthly?.[unit] !== undefined && budget?.[unit] === undefined)
        say(
          "monthly",
          `needs \`budget.${unit}\`: what one run may use is reserved before it starts`,
        );
  })
  .transform(({ replicas, scale, ...fleet }) => ({
    ...fleet,
    scale: scale ?? {
      min: replicas ?? 1,
      max: replicas ?? 1,
      target: 1,
      age: undefined,
      coolDown: 0,
    },
  }));

/** As it is written. */
export type FleetText = z.input<typeof fleetSchema>;
/** As it is read: durations in milliseconds. */
export type Fleet = z.output<typeof fleetSchema>;
export type ScaleRule = Fleet["scale"];
export type RollRule = Fleet["roll"];

export const itemStates = ["waiting", "running", "done", "dead"] as const;
export type ItemState = (typeof itemStates)[number];
