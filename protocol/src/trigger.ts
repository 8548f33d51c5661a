// Trigger: the event that starts runs of a schedule, in place of a clock.

import { z } from "zod";
import { endStates } from "./process.ts";
import { readBytes, readDurationMs } from "./quantity.ts";
import { topicPatternFlaw } from "./topic.ts";
import { writtenQuantity } from "./written-quantity.ts";

/** How a webhook is signed: Standard Webhooks, or the way of GitHub (`X-Hub-Signature-256`). */
export const webhookSignatures = ["standard", "github"] as const;
export const secretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,62}$/, "the name of a secret: A-Z 0-9 _, beginning with a letter");

const MIB = 1024 * 1024;

const kinds = {
  webhook: z.strictObject({
    secret: secretName,
    signature: z.enum(webhookSignatures).default("standard"),
    /** How old a signed time may be, and how far in the future. */
    tolerance: writtenQuantity(readDurationMs, "duration").default(300_000),
    maxBytes: writtenQuantity(readBytes, "bytes").default(MIB),
  }),
  /** A topic, or a pattern of topics. */
  topic: z.string().min(1).max(200),
  files: z.strictObject({
    /** Of this machine; what is below it counts too, and no link is followed. */
    folder: z.string().startsWith("/", "an absolute path").max(4096),
    /** Only files whose names end so. */
    endings: z.array(z.string().min(1).max(100)).min(1).max(100).optional(),
    /** What has changed starts a run once nothing has changed for so long. */
    settle: writtenQuantity(readDurationMs, "duration").default(2000),
  }),
  /** A run of an agent that has ended. */
  run: z.strictObject({
    agent: z.string().min(1).max(200),
    states: z.array(z.enum(endStates)).min(1).optional(),
  }),
};
export type TriggerKind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as TriggerKind[];

export const triggerSchema = z
  .strictObject({
    webhook: kinds.webhook.optional(),
    topic: kinds.topic.optional(),
    files: kinds.files.optional(),
    run: kinds.run.optional(),
  })
  .superRefine((trigger, context) => {
    const say = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    const { webhook, topic, files } = trigger;
    if (kindNames.filter((kind) => trigger[kind] !== undefined).length !== 1)
      say([], `exactly one of ${kindNames.join(", ")}`);
    const flaw = topic === undefined ? undefined : topicPatternFlaw(topic);
    if (flaw !== undefined) say(["topic"], flaw);
    if (webhook !== undefined && (webhook.maxBytes < 1 || webhook.maxBytes > 8 * MIB))
      say(["webhook", "maxBytes"], "from 1 byte to 8MiB");
    if (webhook !== undefined && (webhook.tolerance < 1000 || webhook.tolerance > 3_600_000))
      say(["webhook", "tolerance"], "from 1s to 1h");
    if (files !== undefined && (files.settle < 100 || files.settle > 3_600_000))
      say(["files", "settle"], "from 100ms to 1h");
  });

export type Trigger = z.output<typeof triggerSchema>;

export const triggerKindOf = (trigger: Trigger): TriggerKind =>
  kindNames.find((kind) => trigger[kind] !== undefined)!;
