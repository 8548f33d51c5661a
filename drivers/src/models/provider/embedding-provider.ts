// Embedding provider: the embeddings of a provider's model as a driver of the kernel. Wire formats: OpenAI and what is
// compatible with it, Google, Ollama.
//
//   createProviderEmbeddings({ name: "openai", type: "openai", model: "text-embedding-3-small", keySecret: "OPENAI_API_KEY" })
//
// EMBEDDING-PROVIDER-1  A batch is one request, to the configured origin, with the key in its header and nowhere else
//     (recorded-fetch.ts). Nothing is tried again here.
// EMBEDDING-PROVIDER-2  The answer has one vector of finite numbers for each text, all of one length; else it fails.
// EMBEDDING-PROVIDER-3  What is read of an answer is limited. A failure has neither the key nor a text.

import {
  SysError,
  type EmbeddingContext,
  type EmbeddingDriver,
  type Json,
  type ProviderType,
} from "@aos/protocol";
import { providerFailure } from "./failure.ts";
import { wireFor } from "./recorded-fetch.ts";
import { vendors } from "./vendors.ts";

export interface ProviderEmbeddingsOptions {
  readonly name: string;
  readonly type: ProviderType;
  /** Without its provider. */
  readonly model: string;
  readonly baseUrl?: string;
  readonly keySecret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked for, where the model has a choice. */
  readonly dimensions?: number;
  /** US dollars for a million tokens. */
  readonly price?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly timeoutMs?: number;
}

interface Wire {
  readonly path: (model: string) => string;
  readonly body: (model: string, texts: readonly string[], dimensions: number | undefined) => Json;
  readonly vectors: (answer: Json) => readonly unknown[];
  readonly tokens: (answer: Json) => unknown;
}

const TIMEOUT_MS = 60_000;
const MOST_BYTES = 64 * 1024 * 1024;
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])$/;

const at = (value: unknown, name: string): unknown =>
  value !== null && typeof value === "object"
    ? (value as Record<string, unknown>)[name]
    : undefined;
const listAt = (value: unknown, name: string): readonly unknown[] => {
  const list = at(value, name);
  return Array.isArray(list) ? list : [];
};

const openai: Wire = {
  path: () => "/embeddings",
  body: (model, texts, dimensions) => ({
    model,
    input: [...texts],
    encoding_format: "float",
    ...(dimensions === undefined ? {} : { dimensions }),
  }),
  vectors: (answer) =>
    listAt(answer, "data")
      .toSorted((a, b) => Number(at(a, "index") ?? 0) - Number(at(b, "index") ?? 0))
      .map((one) => at(one, "embedding")),
  tokens: (answer) => at(at(answer, "usage"), "total_tokens"),
};

const google: Wire = {
  path: (model) => `/models/${encodeURIComponent(model)}:batchEmbedContents`,
  body: (model, texts, dimensions) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...(dimensions === undefined ? {} : { outputDimensionality: dimensions }),
    })),
  }),
  vectors: (answer) => listAt(answer, "embeddings").map((one) => at(one, "values")),
  tokens: () => undefined,
};

const ollama: Wire = {
  path: () => "/embed",
  body: (model, texts, dimensions) => ({
    model,
    input: [...texts],
    ...(dimensions === undefined ? {} : { dimensions }),
  }),
  vectors: (answer) => listAt(answer, "embeddings"),
  tokens: (answer) => at(answer, "prompt_eval_count"),
};

const wires: Readonly<Record<ProviderType, Wire | undefined>> = {
  openai,
  "openai-chat": openai,
  "openai-compatible": openai,
  google,
  ollama,
  anthropic: undefined,
};

/** Whether a provider of this type has embeddings. */
export const hasEmbeddings = (type: ProviderType): boolean => wires[type] !== undefined;

export function createProviderEmbeddings(options: ProviderEmbeddingsOptions): EmbeddingDriver {
  const { name, type, model, dimensions, price, keySecret, headers = {} } = options;
  const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = options;
  const wire = wires[type];
  const vendor = vendors[type];
  const baseUrl = (options.baseUrl ?? vendor.baseUrl ?? "").replace(/\/+$/, "");
  if (wire === undefined || baseUrl === "")
    throw new SysError("EINVAL", `provider ${name}: type ${type} has no embeddings`);
  const { origin, hostname } = new URL(baseUrl);
  const full = `${name}/${model}`;
  return {
    model: dimensions === undefined ? full : `${full}@${dimensions}`,
    resource: full,
    egress: !LOCAL.test(hostname),
    ...(price === undefined ? {} : { price }),
    async embed(texts, context = NO_KEYS) {
      const signal = AbortSignal.timeout(timeoutMs);
      const spec = {
        ...vendor.key,
        origin,
        keySecret,
        maxTokens: 0,
        isLines: false,
        signal,
        fetch,
      };
      const { fetch: send, seen } = wireFor(spec, context); // EMBEDDING-PROVIDER-1
      try {
        const response = await send(`${baseUrl}${wire.path(model)}`, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "aos", ...headers },
          body: JSON.stringify(wire.body(model, texts, dimensions)),
        });
        const text = await readLimited(response);
        if (!response.ok)
          throw Object.assign(new Error(`status ${response.status}`), {
            statusCode: response.status,
            responseBody: text.slice(0, 2000),
          });
        const answer = JSON.parse(text) as Json;
        const tokens = wire.tokens(answer);
        if (typeof tokens === "number" && tokens >= 0) context.used?.(Math.ceil(tokens));
        return checked(wire.vectors(answer), texts.length, full);
      } catch (error) {
        if (error instanceof SysError) throw error;
        if (signal.aborted)
          throw new SysError("ETIMEDOUT", `${full}: no answer within ${timeoutMs} ms`);
        throw providerFailure(error, {
          model: full,
          seen,
          signal,
          keySecret,
          spent: undefined,
          now: Date.now(),
        });
      }
    },
  };
}

const NO_KEYS: EmbeddingContext = {
  providerKey: (name) => {
    throw new SysError("ENOENT", `unknown secret ${name}`, { detail: { secret: name } });
  },
};

/** EMBEDDING-PROVIDER-2. */
function checked(vectors: readonly unknown[], count: number, model: string): readonly number[][] {
  const isFit = (vector: unknown): vector is number[] =>
    Array.isArray(vector) &&
    vector.length > 0 &&
    vector.length === (vectors[0] as unknown[]).length &&
    vector.every((one) => Number.isFinite(one));
  if (vectors.length === count && vectors.every(isFit)) return vectors;
  throw new SysError("EUPSTREAM", `${model}: the answer has no vector for each text`);
}

/** EMBEDDING-PROVIDER-3. */
async function readLimited(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const pieces: Uint8Array[] = [];
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces).toString("utf8");
    bytes += value.length;
    if (bytes > MOST_BYTES) {
      reader.cancel().catch(() => {});
      throw new SysError("EUPSTREAM", `the answer is longer than ${MOST_BYTES} bytes`);
    }
    pieces.push(value);
  }
}
