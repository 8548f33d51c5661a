// Provider: a vendor's models, as the kernel asks them.
//
//   createProvider({ name: "anthropic", type: "anthropic", keySecret: "anthropic-key" })
//
// D1  One request to the kernel is one request to the vendor. Nothing is tried again here, and no tool is
//     run by anybody but the kernel.
// D2  What is billed is not more than `worstCase` said: the answer is limited to what was counted with,
//     which is always sent. If a vendor counts otherwise, what was used is what is said.
// D3  A request that is stopped is stopped at the vendor too.

import {
  type InferReply,
  type ModelCard,
  type ModelDriver,
  type ModelPrice,
  type ProviderType,
  type SyscallArgs,
  SysError,
  type Usage,
} from "@aos/protocol";
import { callOptions } from "./call-options.ts";
import { type Counting, countRequest, countSpoken } from "./counting.ts";
import { failureOf, type Spent } from "./failure.ts";
import { billOf, knownOf, type Known, type ModelOverride, namesAt, worstBill } from "./prices.ts";
import { Reply } from "./reply.ts";
import { watchSilence } from "./silence.ts";
import { toolNames } from "./tool-names.ts";
import { type Vendor, vendors } from "./vendors.ts";
import { isKeyHeader, wireFor } from "./wire.ts";

type Request = SyscallArgs<"infer">;

export interface ProviderOptions {
  /** The part before the slash of its models' names. */
  readonly name: string;
  readonly type: ProviderType;
  /** The vendor's own unless said. */
  readonly baseUrl?: string;
  /** The name of the secret that is its key. Without one no key is sent. */
  readonly keySecret?: string;
  /** What the operator says of models; wins over the table. */
  readonly models?: Readonly<Record<string, ModelOverride>>;
  /** Sent with every request. A key is no header: it is a secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the server takes a JSON Schema for the answer; true unless said. */
  readonly structured?: boolean;
  /** The longest silence between two pieces of an answer; 120 s unless said. */
  readonly idleMs?: number;
  /** The longest silence before the first; 240 s unless said. */
  readonly firstMs?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** For models of which no limit is known. It is sent, so that the worst case is true. */
const DEFAULT_MAX_TOKENS = 8192;
const LEAST_MAX_TOKENS = 1024;
const IDLE_MS = 120_000;
const FIRST_MS = 240_000;
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
      throw new SysError("EINVAL", `provider ${name}: ${header} is for a key`, {
        hint: "give the key as a secret: aos configure",
      });

  const books = new Map<string, Known>();
  const knownAs = (model: string): Known => {
    const known = books.get(model) ?? knownOf(model, { origin, isLocal }, options.models);
    books.set(model, known);
    return known;
  };
  const about = (request: Request): Known & { model: string; maxTokens: number } => {
    const model = modelOf(name, request.model);
    const known = knownAs(model);
    return { ...known, model, maxTokens: maxTokensOf(request, known, vendor.counting(model)) };
  };
  const ask = { name, vendor, baseUrl, origin, options };

  return {
    provider: name,
    egress: !isLocal,

    worstCase(request) {
      const { model, price, maxTokens } = about(request);
      const { bound } = countRequest(request, vendor.counting(model));
      return { usd: worstBill(price, bound, maxTokens), tokens: bound + maxTokens };
    },

    measure(request) {
      const { model, ...known } = about(request);
      const { estimate } = countRequest(request, vendor.counting(model));
      return { tokens: estimate, card: cardOf(name, model, known) };
    },

    cards: () =>
      [...new Set([...namesAt(origin), ...Object.keys(options.models ?? {})])]
        .filter((model) => !model.endsWith("*"))
        .map((model) => cardOf(name, model, knownAs(model))),

    infer: async (request, context) => inferOnce(ask, about(request), request, context),
  };
}

interface Ask {
  readonly name: string;
  readonly vendor: Vendor;
  readonly baseUrl: string;
  readonly origin: string;
  readonly options: ProviderOptions;
}

async function inferOnce(
  { name, vendor, baseUrl, origin, options }: Ask,
  known: Known & { readonly model: string; readonly maxTokens: number },
  request: Request,
  context: Parameters<ModelDriver["infer"]>[1],
): Promise<InferReply & { readonly usd: number | null }> {
  const { keySecret, headers = {}, fetch = globalThis.fetch } = options;
  const { model, maxTokens, window, price } = known;
  const counting = vendor.counting(model);
  const structured = options.structured ?? !WITHOUT_SCHEMA.has(origin);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const isLines = vendor.isLines === true;
  const wire = wireFor(
    { ...vendor.key, origin, keySecret, maxTokens, isLines, signal, fetch },
    context,
  );
  const names = toolNames(request);
  const times = { firstMs: options.firstMs ?? FIRST_MS, idleMs: options.idleMs ?? IDLE_MS };
  const silence = watchSilence(stop, request.model, times);
  const reply = new Reply({
    model: request.model,
    provider: name,
    names,
    progress: (delta) => context.progress(delta),
    heard: silence.heard,
  });

  /** What a vendor that did not say was asked and has said. */
  const counted = (): Usage => ({
    inputTokens: countRequest(request, counting).estimate,
    outputTokens: countSpoken(reply.spoken, counting).estimate,
  });
  const spent = (): Spent | undefined => {
    if (!reply.hasBegun) return undefined;
    const usage = counted();
    return { usd: billOf(price, usage), tokens: usage.inputTokens + usage.outputTokens };
  };

  try {
    signal.throwIfAborted();
    const means = { name, baseURL: trimmed(baseUrl), headers, fetch: wire.fetch, structured };
    const fitting = { request, model, maxTokens, window, provider: name };
    const call = callOptions(fitting, vendor, names, { signal, structured });
    const asked = await vendor.open(model, means);
    const { stream } = await asked.doStream(call);
    await reply.listenTo(stream);
    const usage = usageOf(reply.usage, counted);
    return { ...reply.whole(), usage, usd: billOf(price, usage) };
  } catch (error) {
    throw failureOf(error, {
      model: request.model,
      seen: wire.seen,
      signal,
      keySecret,
      spent: spent(),
      now: Date.now(),
    });
  } finally {
    silence.over();
  }
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");

function modelOf(provider: string, name: string): string {
  const model = name.slice(provider.length + 1);
  if (name.startsWith(`${provider}/`) && model !== "") return model;
  throw new SysError("EINVAL", `"${name}" is no model of ${provider}`, {
    hint: `write ${provider}/MODEL`,
  });
}

/** D2. Where the request does not say: all that the model can, and that fits behind what it is shown. */
function maxTokensOf(request: Request, known: Known, counting: Counting): number {
  const { maxTokens } = request;
  const { maxOutputTokens, window } = known;
  if (maxTokens !== undefined) return Math.min(maxTokens, maxOutputTokens ?? maxTokens);
  const most = maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  if (window === null) return most;
  const left = window - Math.ceil(countRequest(request, counting).estimate * 1.1);
  return Math.min(most, Math.max(left, LEAST_MAX_TOKENS));
}

function cardOf(provider: string, model: string, known: Known): ModelCard {
  const { price, window, maxOutputTokens } = known;
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

/** Local servers may not count, or say nought; then it is what was counted here. */
function usageOf(said: Reply["usage"], counted: () => Usage): Usage {
  const { inputTokens, outputTokens } = said ?? {};
  if (!inputTokens?.total || outputTokens?.total === undefined) return counted();
  const { cacheRead, cacheWrite } = inputTokens;
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    ...(cacheRead ? { cachedTokens: cacheRead } : {}),
    ...(cacheWrite ? { cacheWriteTokens: cacheWrite } : {}),
    ...(outputTokens.reasoning ? { reasoningTokens: outputTokens.reasoning } : {}),
  };
}
