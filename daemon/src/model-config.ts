// The model settings of config.yaml: providers, prices, sharing and budgets.
//
// MODEL-CONFIG-1  An unknown key is an error, and so is a rule about something that does not exist.
// MODEL-CONFIG-2  A key is given by the name of its secret, never as a value.

import { hasEmbeddings } from "@aos/drivers";
import type { Admission, KernelOptions, ModelRule, SlotRules } from "@aos/kernel";
import { isTenantName, knownProviders, providerTypes, TENANT_NAME_RULE } from "@aos/protocol";
import { z } from "zod";
import { countField, durationField, some } from "./config-fields.ts";
import { baseUrlOf, isLoopbackUrl, keyHeaders, takenNames } from "./models/provider-types.ts";
import { omitUndefined } from "./omit-undefined.ts";
import type { FieldProblem } from "./yaml-file.ts";

const limits = {
  concurrency: some.optional(),
  requestsPerMinute: some.optional(),
  tokensPerMinute: some.optional(),
};

const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
const MODEL_NAME = /^[^/\s]+\/\S+$/;
const modelName = z.string().regex(MODEL_NAME, "a model must be written provider/model");

const provider = z.strictObject({
  type: z.enum(providerTypes),
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The name of a secret; false where none is needed. */
  key: z
    .union([
      z.literal(false),
      z.string().regex(/^[A-Z][A-Z0-9_]{0,62}$/, "a key must be the name of a secret (A-Z 0-9 _)"),
    ])
    .optional(),
  ...limits,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), z.string().max(8192)).optional(),
  /** The longest silence before the first word of an answer, and between two pieces of it. */
  timeouts: z
    .strictObject({ first: durationField.optional(), idle: durationField.optional() })
    .optional(),
});

const dollars = z.number().nonnegative();

const model = z.strictObject({
  /** US dollars for a million tokens. */
  price: z
    .strictObject({
      input: dollars,
      output: dollars,
      cachedInput: dollars.optional(),
      cacheWrite: dollars.optional(),
    })
    .optional(),
  window: some.optional(),
  maxOutputTokens: some.optional(),
  ...limits,
  fallback: z.array(modelName).optional(),
  retries: countField.optional(),
  hedgeAfter: durationField.optional(),
  breaker: z.strictObject({ failures: some, cool: durationField }).optional(),
});

const EMBEDDING_MODEL = /^(?:local|none|[^/\s]+\/\S+)$/;
const embeddings = z.strictObject({
  model: z
    .string()
    .regex(EMBEDDING_MODEL, "a model must be written provider/model; or local, or none"),
  dimensions: some.optional(),
  /** US dollars for a million tokens. */
  price: dollars.optional(),
  usdPerDay: dollars.optional(),
});

const tenantName = z.string().refine(isTenantName, `a tenant is named with ${TENANT_NAME_RULE}`);

export const modelSections = {
  providers: z.record(z.string(), provider).default({}),
  models: z.record(z.string(), model).default({}),
  /** What turns texts of memory into vectors. */
  embeddings: embeddings.default({ model: "local" }),
  scheduler: z
    .strictObject({
      tenants: z
        .record(tenantName, z.strictObject({ weight: z.number().positive().max(1_000_000) }))
        .default({}),
      queue: countField.optional(),
      running: some.optional(),
      queued: countField.optional(),
      queuedPerTenant: countField.optional(),
    })
    .default({ tenants: {} }),
  budgets: z
    .array(
      z.strictObject({
        scope: z.enum(["agent", "tenant", "total"]),
        name: z.string().min(1).max(200).optional(),
        per: z.enum(["hour", "day", "month", "ever"]),
        usd: dollars.optional(),
        tokens: countField.optional(),
        toolCalls: countField.optional(),
      }),
    )
    .default([]),
  velocity: z
    .array(
      z.strictObject({
        scope: z.enum(["tenant", "total"]),
        name: tenantName.optional(),
        usd: dollars,
        within: durationField,
      }),
    )
    .default([]),
};

const sections = z.strictObject(modelSections);
export type ModelConfig = z.output<typeof sections>;
export type ProviderEntry = ModelConfig["providers"][string];
export type ModelEntry = ModelConfig["models"][string];

/** MODEL-CONFIG-1. */
export function modelConfigProblems(config: ModelConfig): FieldProblem[] {
  return [
    ...Object.entries(config.providers).flatMap(([name, one]) => aboutProvider(name, one)),
    ...Object.entries(config.models).flatMap(([name, one]) => aboutModel(name, one, config)),
    ...aboutEmbeddings(config),
    ...config.budgets.flatMap((one, at) => aboutBudget(one, ["budgets", at])),
    ...config.velocity.flatMap((one, at) => aboutScope(one, ["velocity", at])),
  ];
}

function aboutProvider(name: string, { type, baseUrl, headers = {} }: ProviderEntry) {
  const path = ["providers", name];
  const complaints: FieldProblem[] = [];
  if (!PROVIDER_NAME.test(name))
    complaints.push({ path, message: "a provider is named with a-z 0-9 -" });
  if (takenNames.has(name))
    complaints.push({ path, message: `${name} is reserved: ${name}/… has another meaning` });
  if (baseUrl === undefined && baseUrlOf(name, type) === undefined)
    complaints.push({ path, message: `a provider of type ${type} needs a baseUrl` });
  if (baseUrl !== undefined && URL.parse(baseUrl)?.password !== "")
    complaints.push({
      path: [...path, "baseUrl"],
      message: "the key must be a secret, not part of the URL",
    });
  for (const header of Object.keys(headers))
    if (secretHeaders.has(header.toLowerCase()))
      complaints.push({
        path: [...path, "headers", header],
        message: "keys are secrets: name the secret in `key`",
      });
  return complaints;
}

function aboutEmbeddings({ embeddings: one, providers }: ModelConfig): FieldProblem[] {
  const complain = (field: string, message: string) => [{ path: ["embeddings", field], message }];
  if (!one.model.includes("/")) {
    const extra = (["dimensions", "price", "usdPerDay"] as const).find(
      (field) => one[field] !== undefined,
    );
    return extra === undefined ? [] : complain(extra, `only for the model of a provider`);
  }
  const name = one.model.slice(0, one.model.indexOf("/"));
  const provider = providers[name] ?? knownProviders[name];
  if (provider === undefined) return complain("model", `no provider is called ${name}`);
  const { type } = provider;
  if (!hasEmbeddings(type))
    return complain("model", `a provider of type ${type} has no embeddings`);
  const baseUrl = provider.baseUrl ?? baseUrlOf(name, type) ?? "";
  if (one.price === undefined && !isLoopbackUrl(baseUrl))
    return complain("price", "expected what a million tokens cost, in US dollars");
  return [];
}

/** MODEL-CONFIG-2. */
const secretHeaders: ReadonlySet<string> = new Set([
  ...Object.values(keyHeaders),
  "api-key",
  "proxy-authorization",
  "cookie",
  "host",
]);

function aboutModel(name: string, { fallback = [] }: ModelEntry, config: ModelConfig) {
  const path = ["models", name];
  if (!MODEL_NAME.test(name)) return [{ path, message: "a model must be written provider/model" }];
  return [
    ...aboutProviderOf(name, path, config),
    ...fallback.flatMap((other, at) => [
      ...(other === name
        ? [{ path: [...path, "fallback", at], message: "a model cannot be its own fallback" }]
        : []),
      ...aboutProviderOf(other, [...path, "fallback", at], config),
    ]),
  ];
}

function aboutProviderOf(name: string, path: FieldProblem["path"], { providers }: ModelConfig) {
  const [of = ""] = name.split("/", 1);
  if (Object.hasOwn(providers, of) || Object.hasOwn(knownProviders, of) || takenNames.has(of))
    return [];
  return [{ path, message: `unknown provider ${of}` }];
}

function aboutBudget(budget: ModelConfig["budgets"][number], path: FieldProblem["path"]) {
  const { usd, tokens, toolCalls } = budget;
  return [
    ...(usd === undefined && tokens === undefined && toolCalls === undefined
      ? [{ path, message: "a budget needs usd, tokens or toolCalls" }]
      : []),
    ...aboutScope(budget, path),
  ];
}

const aboutScope = (
  { scope, name }: { scope: string; name?: string | undefined },
  path: FieldProblem["path"],
): FieldProblem[] =>
  scope === "total" && name !== undefined
    ? [{ path: [...path, "name"], message: "a limit for all together takes no name" }]
    : [];

/** What the slot scheduler is held to. */
export const slotRulesOf = ({ providers, models, scheduler }: ModelConfig): SlotRules => ({
  providers: mapValues(providers, limitsOf),
  models: mapValues(models, ruleOf),
  tenants: scheduler.tenants,
  ...omitUndefined({ queue: scheduler.queue }),
});

type Limits = Pick<ModelEntry, "concurrency" | "requestsPerMinute" | "tokensPerMinute">;

const limitsOf = ({ concurrency, requestsPerMinute, tokensPerMinute }: Limits): ModelRule =>
  omitUndefined({ concurrency, requestsPerMinute, tokensPerMinute });

const ruleOf = ({ fallback, retries, hedgeAfter, breaker, ...rest }: ModelEntry): ModelRule => ({
  ...limitsOf(rest),
  ...omitUndefined({ fallback, retries, hedgeAfterMs: hedgeAfter }),
  ...(breaker === undefined
    ? {}
    : { breaker: { failures: breaker.failures, coolMs: breaker.cool } }),
});

/** What a kernel takes at its boot, and not again. */
export function moneyOptionsOf(
  config: ModelConfig,
): Pick<KernelOptions, "budgets" | "velocity" | "admission"> {
  const { running, queued, queuedPerTenant } = config.scheduler;
  const admission: Partial<Admission> = omitUndefined({ running, queued, queuedPerTenant });
  return {
    budgets: config.budgets.map(({ scope, per, ...rest }) => ({
      scope,
      per,
      ...omitUndefined(rest),
    })),
    velocity: config.velocity.map(({ scope, name, usd, within }) => ({
      scope,
      usd,
      withinMs: within,
      ...omitUndefined({ name }),
    })),
    admission,
  };
}

const mapValues = <From, To>(
  object: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
