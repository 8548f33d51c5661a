// Operations about models, their providers and their queues.

import { z } from "zod";
import { durationMs } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { lane } from "./process.ts";
import {
  amount,
  count,
  failureText,
  lastFailure,
  moment,
  named,
  names,
  text,
} from "./response-fields.ts";

const slotReport = named(
  "SlotReport",
  z
    .strictObject({
      model: z.string(),
      limits: z.strictObject({
        concurrency: amount.nullable(),
        requestsPerMinute: amount.nullable(),
        tokensPerMinute: amount.nullable(),
      }),
      running: count,
      queued: count,
      breaker: z.enum(["closed", "open", "half-open"]),
      requests: count,
      failures: count,
      retries: count,
      fallbacks: count.describe("Requests that went to another model."),
      /** Milliseconds of an answer, and of waiting for a place; null before the first. */
      p50Ms: amount.nullable(),
      p95Ms: amount.nullable(),
      waitP50Ms: amount.nullable(),
      waitP95Ms: amount.nullable(),
      lastFailure,
    })
    .describe("How a model does, since the daemon started."),
);
export type SlotReport = ReportOf<typeof slotReport>;

/** What a provider or a model is held to; null where nothing is. */
export type SlotLimits = SlotReport["limits"];

const modelReport = named(
  "ModelReport",
  z.strictObject({
    model: z.string().describe("With its provider: `anthropic/claude-sonnet-4-5`."),
    window: count.nullable().describe("Tokens that it can take in."),
    maxOutputTokens: count.nullable(),
    price: z
      .strictObject({
        input: amount,
        output: amount,
        cachedInput: amount.exactOptional(),
        cacheWrite: amount.exactOptional(),
        date: z.string(),
        /** `configured`, `known` by the price table, or `used` by a run. */
        source: z.string(),
      })
      .nullable()
      .describe("US dollars for a million tokens."),
    provider: z.string(),
    source: z.enum(["configured", "known", "used"]),
    egress: z.boolean(),
    fallback: names,
    key: z
      .strictObject({ name: z.string(), isSet: z.boolean() })
      .nullable()
      .describe("The name of the secret that is its key; null where it needs none."),
    slots: slotReport.nullable(),
  }),
);
export type ModelReport = ReportOf<typeof modelReport>;

const modelTestReport = named(
  "ModelTestReport",
  z.strictObject({
    model: z.string(),
    ok: z.boolean(),
    ms: amount,
    text: z.string().nullable(),
    usd: amount.nullable(),
    error: failureText.nullable(),
  }),
);
export type ModelTestReport = ReportOf<typeof modelTestReport>;

const queueReport = named(
  "QueueReport",
  z.strictObject({
    running: count,
    limit: count.nullable(),
    queued: z.record(lane, count),
    queueLimit: count,
    slots: z.array(slotReport),
    mailboxes: z
      .array(z.strictObject({ tenant: text, depth: count, oldestAt: moment }))
      .describe("The messages of each tenant that wait to be received."),
  }),
);
export type QueueReport = ReportOf<typeof queueReport>;

export const providerTypes = [
  "anthropic",
  "openai",
  "openai-chat",
  "google",
  "openai-compatible",
  "ollama",
] as const;
export type ProviderType = (typeof providerTypes)[number];

const providerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "a provider is named with a-z 0-9 -");
const model = z.string().regex(/^[^/\s]+\/\S+$/, "a model must be written provider/model");

export const modelOperations = {
  models: operation({
    method: "GET",
    path: "/models",
    summary: "List the available models, their prices and their state.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({ all: z.stringbool().optional() }),
    response: z.array(modelReport),
  }),

  testModel: operation({
    method: "POST",
    path: "/models/test",
    summary: "Test a model with a one-word request through the gate.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({ model, timeoutMs: durationMs.optional() }),
    response: modelTestReport,
  }),

  /** Writes a provider to the configuration and seals its key; takes effect at once. */
  addProvider: operation({
    method: "POST",
    path: "/providers",
    summary: "Add a model provider to config.yaml; it takes effect at once.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      name: providerName,
      type: z
        .enum(providerTypes)
        .describe("anthropic, openai, openai-chat, google, openai-compatible or ollama"),
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      /** Sealed as a secret, bound to the provider's address; never written to a file. */
      key: z.string().min(1).max(10_000).optional(),
    }),
    response: z.strictObject({ name: text, file: text, secret: text.nullable() }),
  }),

  queue: operation({
    method: "GET",
    path: "/queue",
    summary: "Show the start queue and the queues of the models.",
    role: "viewer",
    reach: "machine",
    response: queueReport,
  }),
} as const;
