// Operations about models, money, contexts, queues and tests: a part of the rows (operations.ts).

import { z } from "zod";
import type { Json } from "./json.ts";
import { lanes, type Lane } from "./lane.ts";
import {
  byPid,
  count,
  durationMs,
  folder,
  json,
  label,
  spawnBody,
  tenant,
  words,
} from "./operation-fields.ts";
import { takes } from "./operation-row.ts";
import {
  costGroups,
  type AgentTestReport,
  type ContextReport,
  type CostReport,
  type EstimateReport,
  type InvokeReport,
  type ModelReport,
  type ModelTestReport,
  type QueueReport,
} from "./model-reports.ts";
import type { Progress } from "./ports.ts";
import type { JournalRecord } from "./record.ts";
import { messages } from "./syscalls.ts";

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
  models: takes({ query: z.strictObject({ all: z.stringbool().optional() }) }).answers<
    ModelReport[]
  >(),
  testModel: takes({
    body: z.strictObject({ model, timeoutMs: durationMs.optional() }),
  }).answers<ModelTestReport>(),
  /** Writes a provider to the configuration and seals its key; takes effect at once. */
  addProvider: takes({
    body: z.strictObject({
      name: providerName,
      type: z.enum(providerTypes),
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      /** Sealed as a secret, bound to the provider's address; never written to a file. */
      key: z.string().min(1).max(10_000).optional(),
    }),
  }).answers<{ name: string; file: string; secret: string | null }>(),

  cost: takes({
    query: z.strictObject({
      by: z.enum(costGroups).optional(),
      sinceMs: count.optional(),
      tenant: tenant.optional(),
      pid: z.string().min(1).max(200).optional(),
    }),
  }).answers<CostReport>(),
  estimateSpawn: takes({ body: spawnBody }).answers<EstimateReport>(),
  estimateFork: takes({
    params: byPid,
    query: z.strictObject({ at: count.optional() }),
  }).answers<EstimateReport>(),
  estimateReplay: takes({ params: byPid }).answers<EstimateReport>(),

  context: takes({
    params: byPid,
    query: z.strictObject({ at: count.optional() }),
  }).answers<ContextReport>(),
  exportContext: takes({
    params: byPid,
    query: z.strictObject({ at: count.optional() }),
  }).answers<Json>(),
  compactContext: takes({ params: byPid }).answers<{ pid: string }>(),

  nice: takes({
    params: byPid,
    body: z.strictObject({ lane: z.enum(lanes) }),
  }).answers<{ pid: string; lane: Lane }>(),
  queue: takes().answers<QueueReport>(),

  invoke: takes({
    params: byPid,
    body: z.strictObject({
      input: json.optional(),
      /** Takes the place of its context before it is asked. */
      context: messages.optional(),
      /** The same key of the same process is answered once, however often it is sent. */
      key: z.string().min(1).max(200).optional(),
      label: label.optional(),
      timeoutMs: durationMs.optional(),
    }),
  }).answers<InvokeReport>(),
  /** Records as they become durable and, between them, what is being said, which counts for nothing. */
  attach: takes({
    params: byPid,
    query: z.strictObject({ after: count.optional() }),
  }).answers<{ record: JournalRecord } | { progress: Progress & { n: number; at?: number } }>(),

  runTests: takes({
    body: z.strictObject({
      /** Files, or folders that are looked through. */
      paths: z.array(folder).min(1).max(1000),
      only: words.optional(),
    }),
  }).answers<AgentTestReport>(),
  recordTest: takes({
    params: byPid,
    body: z.strictObject({
      /** What its files are called. */
      name: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, "a test's file is named with a-z 0-9 . _ -")
        .optional(),
      /** Where it is going to be: relative paths begin there, and its project's policy holds. */
      folder: folder.optional(),
      /** A manifest file, to be tested in the place of the one that the run had. */
      agent: folder.optional(),
    }),
  }).answers<{ name: string; text: string; script: string }>(),
} as const;
