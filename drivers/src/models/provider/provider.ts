// Provider: the models of a vendor as a driver of the kernel.
//
//   createProvider({ name: "anthropic", type: "anthropic", keySecret: "anthropic-key" })
//
// PROVIDER-1  One kernel request is one vendor request. There are no retries here, and only the kernel runs tools.
// PROVIDER-2  Billing does not exceed `worstCase`: the answer is limited to the counted length, which is always sent.
//     The vendor's own count is used if it is a number from 0 up. The kernel judges counts above the worst case.
// PROVIDER-3  A cancelled request is cancelled at the vendor too.
// PROVIDER-4  What all requests to a model share is built once; what belongs to one request, above all its key, is
//     never shared (fetch-multiplexer.ts).

import {
  countOf,
  type InferReply,
  type ModelCard,
  type ModelDriver,
  type ModelPrice,
  type ProviderType,
  type SyscallArgs,
  SysError,
  type Usage,
} from "@aos/protocol";
import { type TokenCount, type CountingOptions, countSpoken, TokenCounts } from "./counting.ts";
import { providerFailure, type AttemptCost } from "./failure.ts";
import { RecentCache } from "./recent-cache.ts";
import {
  billOf,
  knownModel,
  type KnownModel,
  type ModelOverride,
  namesAt,
  worstBill,
} from "./prices.ts";
import { Reply } from "./reply.ts";
import { startIdleTimeout } from "./idle-timeout.ts";
import { toolNames } from "./tool-names.ts";
import { type VendorConfig, type OpenModel, type Vendor, vendors } from "./vendors.ts";
import { isKeyHeader, wireFor } from "./recorded-fetch.ts";

type Request = SyscallArgs<"infer">;

export interface ProviderOptions {
  /** The part before the slash of its models' names. */
  readonly name: string;
  readonly type: ProviderType;
  /** Default: the vendor's. */
  readonly baseUrl?: string;
  /** The name of the secret that is its key. Without one no key is sent. */
  readonly keySecret?: string;
  /** What the operator says of models; wins over the table. */
  readonly models?: Readonly<Record<string, ModelOverride>>;
  /** Sent with every request. A key is no header: it is a secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the server takes a JSON Schema for the answer. Default: true. */
  readonly structured?: boolean;
  /** Longest silence between two pieces of an answer. Default: 120 s. */
  readonly idleMs?: number;
  /** Longest silence before the first piece. Default: 240 s. */
  readonly firstMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** For models of which no limit is known. It is sent, so that the worst case is true. */
const DEFAULT_MAX_TOKENS = 8192;
const LEAST_MAX_TOKENS = 1024;
const IDLE_MS = 120_000;
const FIRST_MS = 240_000;
/** More models than anybody uses at once. */
const MOST_MODELS = 64;
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** Known to take JSON as the form of an answer, but no schema. */
const WITHOUT_SCHEMA = new Set(["https://api.deepseek.com"]);

export function createProvider(options: ProviderOptions): ModelDriver {
  const { name, type } = options;
  const vendor = vendors[type];
  const baseUrl = options.baseUrl ?? vendor.baseUrl;
  if (baseUrl === undefined)
    throw new SysError("EINVAL", `provider ${name}: type ${type} needs a baseUrl`);
  const { origin, hostname } = new URL(baseUrl);
  const isLocal = LOCAL.test(hostname);
  for (const header of Object.keys(options.headers ?? {}))
    if (isKeyHeader(header))
      throw new SysError(
        "EINVAL",
        `provider ${name}: the header ${header} is reserved for the key`,
        {
          hint: "store the key as a secret: aos configure",
        },
      );

  const { headers = {}, structured = !WITHOUT_SCHEMA.has(origin) } = options;
  const means = { name, baseURL: trimmed(baseUrl), headers, structured };
  const knownAs = (model: string) => ({
    ...knownModel(model, { origin, isLocal }, options.models),
    model,
  });
  const models = new RecentCache(MOST_MODELS, (model) => ({
    ...knownAs(model),
    counting: vendor.counting(model),
    open: vendor.open(model, means),
  }));
  const counts = new TokenCounts();
  const about = (request: Request): About => {
    const book = models.of(modelOf(name, request.model));
    const count = () => counts.of(request, book.counting);
    return { ...book, count, maxTokens: maxTokensOf(request, book, count) };
  };
  const ask = { vendor, origin, means, options };

  return {
    provider: name,
    egress: !isLocal,

    worstCase(request) {
      const { price, maxTokens, count } = about(request);
      const { bound } = count();
      return { usd: worstBill(price, bound, maxTokens), tokens: bound + maxTokens };
    },

    measure(request) {
      const { count, ...book } = about(request);
      return { tokens: count().estimate, card: cardOf(name, book) };
    },

    cards: () =>
      [...new Set([...namesAt(origin), ...Object.keys(options.models ?? {})])]
        .filter((model) => !model.endsWith("*"))
        .map((model) => cardOf(name, knownAs(model))),

    infer: async (request, context) => inferOnce(ask, about(request), request, context),
  };
}

/** What is known of a model. */
interface OpenedModel extends KnownModel {
  /** Without its provider. */
  readonly model: string;
  readonly counting: CountingOptions;
  readonly open: OpenModel;
}

/** What is known of a request to it. */
interface About extends OpenedModel {
  readonly maxTokens: number;
  readonly count: () => TokenCount;
}

interface Ask {
  readonly vendor: Vendor;
  readonly origin: string;
  readonly means: VendorConfig;
  readonly options: ProviderOptions;
}

async function inferOnce(
  { vendor, origin, means: { name }, options }: Ask,
  { model, maxTokens, window, price, counting, count, open }: About,
  request: Request,
  context: Parameters<ModelDriver["infer"]>[1],
): Promise<InferReply & { readonly usd: number | null }> {
  const { keySecret, fetch = globalThis.fetch } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const callOff = () => stop.abort(context.signal.reason); // PROVIDER-3
  if (context.signal.aborted) callOff();
  else context.signal.addEventListener("abort", callOff, ONCE);
  const isLines = vendor.isLines === true;
  const wire = wireFor(
    { ...vendor.key, origin, keySecret, maxTokens, isLines, signal, fetch },
    context,
  );
  const names = toolNames(request);
  const times = { firstMs: options.firstMs ?? FIRST_MS, idleMs: options.idleMs ?? IDLE_MS };
  const silence = startIdleTimeout(stop, request.model, times);
  const reply = new Reply({
    model: request.model,
    provider: name,
    names,
    progress: (delta) => context.progress(delta),
    heard: silence.heard,
  });

  /** What a vendor that did not say was asked and has said. */
  const counted = (): Usage => ({
    inputTokens: count().estimate,
    outputTokens: countSpoken(reply.spoken, counting).estimate,
  });
  const spent = (): AttemptCost | undefined => {
    if (!reply.hasBegun) return undefined;
    const usage = counted();
    return { usd: billOf(price, usage), tokens: usage.inputTokens + usage.outputTokens };
  };

  try {
    signal.throwIfAborted();
    const fitting = { request, model, maxTokens, window, provider: name };
    await open.ask({ fitting, names, signal, fetch: wire.fetch, take: reply.take });
    reply.end();
    const usage = usageOf(reply.usage, counted);
    return { ...reply.whole(), usage, usd: billOf(price, usage) };
  } catch (error) {
    throw providerFailure(error, {
      model: request.model,
      seen: wire.seen,
      signal,
      keySecret,
      spent: spent(),
      now: Date.now(),
    });
  } finally {
    silence.over();
    context.signal.removeEventListener("abort", callOff);
  }
}

const ONCE = { once: true } as const;

const trimmed = (url: string): string => url.replace(/\/+$/, "");

function modelOf(provider: string, name: string): string {
  const model = name.slice(provider.length + 1);
  if (name.startsWith(`${provider}/`) && model !== "") return model;
  throw new SysError("EINVAL", `${provider} has no model "${name}"`, {
    hint: `write ${provider}/MODEL`,
  });
}

/** PROVIDER-2. Where the request does not say: all that the model can, and that fits behind what it is shown. */
function maxTokensOf(
  { maxTokens }: Request,
  { maxOutputTokens, window }: KnownModel,
  count: () => TokenCount,
): number {
  if (maxTokens !== undefined) return Math.min(maxTokens, maxOutputTokens ?? maxTokens);
  const most = maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  if (window === null) return most;
  const left = window - Math.ceil(count().estimate * 1.1);
  return Math.min(most, Math.max(left, LEAST_MAX_TOKENS));
}

function cardOf(
  provider: string,
  { model, price, window, maxOutputTokens }: KnownModel & { readonly model: string },
): ModelCard {
  return {
    model: `${provider}/${model}`,
    window,
    maxOutputTokens,
    price: price === null ? null : plainPrice(price),
  };
}

function plainPrice({
  input,
  output,
  cachedInput,
  cacheWrite,
  date,
  source,
}: ModelPrice): ModelPrice {
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    date,
    source,
  };
}

/** Local servers may not count, or say what is no count; then it is what was counted here (PROVIDER-2). */
function usageOf(said: Reply["usage"], counted: () => Usage): Usage {
  const input = countOf(said?.inputTokens?.total);
  const output = countOf(said?.outputTokens?.total);
  if (!input || output === undefined) return counted();
  const cacheRead = Math.min(countOf(said?.inputTokens?.cacheRead) ?? 0, input);
  const cacheWrite = Math.min(countOf(said?.inputTokens?.cacheWrite) ?? 0, input - cacheRead);
  const reasoning = Math.min(countOf(said?.outputTokens?.reasoning) ?? 0, output);
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cacheRead > 0 ? { cachedTokens: cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWriteTokens: cacheWrite } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}
