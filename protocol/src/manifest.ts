// Manifest: what an agent is. Read once, frozen at spawn, known by its hash ever after.

import { z } from "zod";
import { readCount, readDurationMs } from "./quantity.ts";

const quantity = (read: (text: string | number) => number) =>
  z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });

const duration = quantity(readDurationMs);

export const restartSchema = z.strictObject({
  on: z.array(z.enum(["crash", "error"])).min(1),
  max: z.number().int().positive().default(3),
  within: duration.default(60_000),
  backoff: duration.default(100),
});

export const manifestSchema = z
  .strictObject({
    apiVersion: z.literal("aos/v1"),
    kind: z.literal("Agent"),
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit",
      ),
    description: z.string().max(1000).optional(),
    /** A built-in or registered program; `agent` when neither this nor `command` is given. */
    program: z.string().min(1).optional(),
    /** A foreign program: the executable and its arguments. */
    command: z.array(z.string().min(1)).min(1).optional(),
    model: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    system: z.string().optional(),
    tools: z.array(z.string().min(1)).default([]),
    /** The skills that it may read, by name; `*` at the end stands for any rest. */
    skills: z.array(z.string().min(1)).optional(),
    capabilities: z.array(z.string().min(1)).default([]),
    budget: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: quantity(readCount).optional(),
        toolCalls: quantity(readCount).optional(),
        wall: duration.optional(),
      })
      .default({}),
    restart: restartSchema.optional(),
    output: z.strictObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
    limits: z
      .strictObject({
        maxSteps: z.number().int().positive().optional(),
      })
      .default({}),
  })
  .superRefine((manifest, context) => {
    if (manifest.program !== undefined && manifest.command !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["command"],
        message: "a manifest has a program or a command, not both",
      });
    }
  });

/** As people write it. */
export type ManifestText = z.input<typeof manifestSchema>;
/** As the kernel holds it: defaults filled in, quantities in their units. */
export type Manifest = z.output<typeof manifestSchema>;
