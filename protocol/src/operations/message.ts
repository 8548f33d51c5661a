// Operations about messages: dead letters, and topics.

import { z } from "zod";
import { schemaFlaw } from "../body-schema.ts";
import type { Json } from "../json.ts";
import { lanes } from "../lane.ts";
import {
  byId,
  byPid,
  countArgument,
  jsonArgument,
  labelArgument,
  processReference,
  tenant,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, jsonValue, moment, named, text } from "./response-fields.ts";

/** The most letters of one page. */
const MOST_LETTERS = 1000;

/** How urgent a message is, and how long it may wait to be received. */
export const urgencyFields = {
  lane: z
    .enum(lanes)
    .optional()
    .describe("critical, high, normal (the default), low or background: received in this order"),
  ttlMs: z
    .int()
    .positive()
    .max(366 * 86_400_000)
    .optional()
    .describe("milliseconds after which it is a dead letter if nobody has received it"),
};

const deadLetter = named(
  "DeadLetter",
  z
    .strictObject({
      id: z.string(),
      to: z.string().describe("The process that it was sent to."),
      from: z.string(),
      type: z.string(),
      topic: z.string().nullable(),
      replyTo: z.string().nullable().describe("The request that it would have answered."),
      body: jsonValue.describe("A long one is cut, and a text then."),
      isCut: z.boolean().describe("Its body was cut: it cannot be redriven."),
      label: z.string().describe("Where it comes from: `trusted/public`."),
      sentAt: moment,
      diedAt: moment,
      reason: z.string(),
    })
    .describe("A message that nobody will take."),
);
export type DeadLetter = ReportOf<typeof deadLetter>;

const topicReport = named(
  "TopicReport",
  z
    .strictObject({
      topic: z.string(),
      tenant: z.string(),
      schema: jsonValue.nullable().describe("The JSON Schema of its events."),
      subscribers: count.describe("Running processes that subscribed to it by this name."),
      durables: count.describe("Durable subscriptions to it."),
      waiting: count.describe("Events of durable subscriptions that are not received yet."),
    })
    .describe("A topic, or a pattern, that is subscribed to or has a schema."),
);
export type TopicReport = ReportOf<typeof topicReport>;

/** CloudEvents 1.0, in the structured mode of JSON: other attributes are extensions. */
const attributes = {
  specversion: z.literal("1.0"),
  id: z.string().min(1).max(200),
  source: z.string().min(1).max(2000),
  type: z.string().min(1).max(100),
  subject: z.string().max(2000).optional(),
  time: z.iso.datetime({ offset: true }).optional(),
  datacontenttype: z
    .string()
    .regex(/^application\/(?:[\w.+-]+\+)?json\b/, "the data has to be JSON")
    .optional(),
  dataschema: z.string().max(2000).optional(),
  data: jsonArgument.optional(),
};
const incomingEvent = z.looseObject(attributes);

const cloudEvent = named(
  "CloudEvent",
  z
    .strictObject({
      specversion: z.literal("1.0"),
      id: z.string().describe("The record that it comes from: `PID#SEQ`."),
      source: z.string().describe("The process: `/processes/PID`."),
      type: z
        .enum([
          "aos.message.sent",
          "aos.message.requested",
          "aos.event.published",
          "aos.message.received",
        ])
        .describe("The action of the process."),
      subject: z.string().describe("The receiver, the sender, or the topic."),
      time: moment,
      datacontenttype: z.literal("application/json"),
      data: jsonValue.exactOptional().describe("The body; not there where it is long."),
      aosdigest: z.string().exactOptional().describe("The digest of a long body."),
      aoslane: z.enum(lanes).exactOptional(),
      aostopic: z.string().exactOptional(),
      aostenant: z.string(),
    })
    .describe("An action of a process on a message, as a CloudEvent."),
);
export type CloudEvent = ReportOf<typeof cloudEvent>;

const byTopic = z.strictObject({
  topic: z.string().min(1).max(200).describe("The topic: words with dots between them."),
});

export const messageOperations = {
  deadLetters: operation({
    method: "GET",
    path: "/messages/dead",
    summary: "List dead letters: messages that no process will receive.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      pid: processReference().optional().describe("Only those sent to this process."),
      tenant: tenant.optional(),
      before: z.string().min(1).max(200).optional().describe("The page after this letter."),
      limit: countArgument
        .min(1)
        .max(
          MOST_LETTERS,
          `at most ${MOST_LETTERS} at once; before=ID of the last is the next page`,
        )
        .optional()
        .describe("at most this many (default: 100, limit: 1000)"),
    }),
    response: z.array(deadLetter),
  }),

  redrive: operation({
    method: "POST",
    path: "/messages/dead/:id/redrive",
    summary: "Put a dead letter back into a mailbox.",
    role: "operator",
    reach: "tenant",
    params: byId,
    body: z.strictObject({
      to: processReference().optional().describe("another process than it was sent to"),
    }),
    response: z.strictObject({ id: text, to: text }),
  }),

  topics: operation({
    method: "GET",
    path: "/topics",
    summary: "List the topics that are subscribed to or have a schema.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({ tenant: tenant.optional() }),
    response: z.array(topicReport),
  }),

  publish: operation({
    method: "POST",
    path: "/topics/:topic/events",
    summary: "Publish an event to the subscribers of a topic.",
    role: "operator",
    reach: "tenant",
    params: byTopic,
    body: z.strictObject({
      body: jsonArgument,
      label: labelArgument.optional(),
      tenant: tenant.optional().describe("the subscribers of this tenant"),
      ...urgencyFields,
    }),
    response: z.strictObject({ topic: text, reached: count }),
  }),

  publishCloudEvent: operation({
    method: "POST",
    path: "/topics/:topic/cloudevents",
    summary: "Publish a CloudEvent: its data, with its type.",
    role: "operator",
    reach: "tenant",
    params: byTopic,
    body: incomingEvent,
    response: z.strictObject({ topic: text, reached: count }),
  }),

  sendCloudEvent: operation({
    method: "POST",
    path: "/processes/:pid/cloudevents",
    summary: "Send the data of a CloudEvent to a process, with its type.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: incomingEvent,
    response: z.strictObject({ id: text }),
  }),

  tailMessages: operation({
    method: "GET",
    path: "/messages/tail",
    summary: "Follow the messages that agents send and receive, as CloudEvents.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      pid: processReference().optional().describe("Only what this process does."),
      topic: z.string().min(1).max(200).optional().describe("only events of this topic"),
    }),
    streams: true,
    response: cloudEvent,
  }),

  setTopicSchema: operation({
    method: "POST",
    path: "/topics/:topic/schema",
    summary: "Set the JSON Schema that events of a topic have to fit.",
    role: "operator",
    reach: "tenant",
    params: byTopic,
    body: z.strictObject({
      schema: jsonArgument
        .describe("the schema; null removes it")
        .superRefine((schema, context) => {
          const flaw = schema === null ? undefined : schemaFlaw(schema as Json);
          if (flaw !== undefined) context.addIssue({ code: "custom", message: flaw });
        }),
      tenant: tenant.optional().describe("the topic of this tenant"),
    }),
    response: z.strictObject({ topic: text }),
  }),
} as const;
