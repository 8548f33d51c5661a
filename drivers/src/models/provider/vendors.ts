// Vendors: one row for each type of provider.
//
// VENDORS-1  A vendor's package is loaded with the first request that needs it.
// VENDORS-2  Packages receive no key: where one insists, it gets a placeholder, which the fetch removes
//     (recorded-fetch.ts). Nothing is read from the environment.

import type { LanguageModelV4StreamPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ProviderType, SyscallArgs } from "@aos/protocol";
import { ChatModel } from "./chat-model.ts";
import type { CountingOptions } from "./counting.ts";
import { PackageModel } from "./package-model.ts";
import type { ToolNames } from "./tool-names.ts";
import { ollamaOptions, openaiOptions, anthropicOptions, googleOptions } from "./vendor-options.ts";

export interface VendorConfig {
  readonly name: string;
  readonly baseURL: string;
  readonly headers: Record<string, string>;
  /** Whether the server can be given a JSON Schema for the answer. */
  readonly structured: boolean;
}

/** What a row may look at to fit a request to its vendor. */
export interface VendorRequest {
  readonly request: SyscallArgs<"infer">;
  /** The model without its provider. */
  readonly model: string;
  readonly maxTokens: number;
  readonly window: number | null;
  readonly provider: string;
}

export interface VendorOptions {
  readonly options?: SharedV4ProviderOptions;
  readonly reasoning?: "low" | "medium" | "high";
}

/** One request to an open model. */
export interface VendorCall {
  readonly fitting: VendorRequest;
  readonly names: ToolNames;
  readonly signal: AbortSignal;
  /** The request's own wire (recorded-fetch.ts). */
  readonly fetch: typeof globalThis.fetch;
  /** Is given what the model says, part by part, in its order. */
  readonly take: (part: LanguageModelV4StreamPart) => void;
}

/** A model of a vendor, opened once for all requests to it. */
export interface OpenModel {
  /** Resolves when the answer is over, as far as the vendor says. */
  ask(asking: VendorCall): Promise<void>;
}

export interface Vendor {
  /** Default address. */
  readonly baseUrl: string | undefined;
  readonly key: { readonly header: string; readonly prefix: string };
  open(this: Vendor, model: string, means: VendorConfig): OpenModel;
  /** Media types beside text. */
  readonly takes: RegExp;
  /** Whether the result of a tool may have files in it. */
  readonly toolFiles: boolean;
  /** Whether it takes system messages at the beginning only. */
  readonly systemFirst: boolean;
  /** Whether its answers are lines of JSON, and no events. */
  readonly isLines?: true;
  /** What tells it to keep everything up to here. */
  readonly caches?: SharedV4ProviderOptions;
  fit(fitting: VendorRequest): VendorOptions;
  counting(model: string): CountingOptions;
}

const NO_KEY = "none";
const BEARER = { header: "authorization", prefix: "Bearer " };
const IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const IMAGES_AND_PDF = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;
const IMAGES_PDF_SOUND = /^(image\/(png|jpeg|gif|webp)|application\/pdf|audio\/(wav|mp3|mpeg))$/;

/** Models of before o200k count like the others that are not known. */
const OLD_OPENAI = /^(gpt-4($|-(?!o))|gpt-3|text-|davinci|babbage)/;
/** The smallest image of this one counts like a long text. */
const DEAR_IMAGES = /^gpt-4o-mini/;
const NEW_CLAUDE = /(opus-4-[789]|-5($|-|\d))/;

const openaiCounting = (model: string): CountingOptions => ({
  usual: 1,
  most: OLD_OPENAI.test(model) ? 2.5 : 1.1,
  foreign: OLD_OPENAI.test(model) ? 0.5 : 0,
  image: DEAR_IMAGES.test(model) ? 48_200 : 6200,
  page: 7000,
  toolWords: 100,
  formWords: 100,
});

const openCounting: CountingOptions = {
  usual: 1.1,
  most: 2.5,
  foreign: 0.5,
  image: 6200,
  page: 7000,
  toolWords: 400,
  formWords: 200,
};

/** The two APIs of OpenAI differ in the last step only. */
const openAi = (
  vendor: Vendor,
  means: VendorConfig,
  api: "responses" | "chat",
  model: string,
): OpenModel =>
  new PackageModel(vendor, means, async (fetch) => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const { baseURL, headers } = means;
    return createOpenAI({ baseURL, headers, fetch, apiKey: NO_KEY })[api](model);
  });

export const vendors: Readonly<Record<ProviderType, Vendor>> = {
  anthropic: {
    baseUrl: "https://api.anthropic.com/v1",
    key: { header: "x-api-key", prefix: "" },
    open(model, means) {
      const { baseURL, headers } = means;
      return new PackageModel(this, means, async (fetch) => {
        const { createAnthropic } = await import("@ai-sdk/anthropic");
        return createAnthropic({ baseURL, headers, fetch, apiKey: NO_KEY })(model);
      });
    },
    takes: IMAGES_AND_PDF,
    toolFiles: true,
    systemFirst: true,
    caches: { anthropic: { cacheControl: { type: "ephemeral" } } },
    fit: anthropicOptions,
    // A newer tokenizer makes about a third more tokens than the one before.
    counting: (model) => ({
      usual: NEW_CLAUDE.test(model) ? 1.5 : 1.15,
      most: 2.5,
      foreign: 0.5,
      image: 4800,
      page: 7800,
      toolWords: 900,
      formWords: 500,
    }),
  },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    key: BEARER,
    open(model, means) {
      return openAi(this, means, "responses", model);
    },
    takes: IMAGES_AND_PDF,
    toolFiles: true,
    systemFirst: false,
    fit: openaiOptions,
    counting: openaiCounting,
  },
  "openai-chat": {
    baseUrl: "https://api.openai.com/v1",
    key: BEARER,
    open(model, means) {
      return openAi(this, means, "chat", model);
    },
    takes: IMAGES_PDF_SOUND,
    toolFiles: false,
    systemFirst: false,
    fit: openaiOptions,
    counting: openaiCounting,
  },
  google: {
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    key: { header: "x-goog-api-key", prefix: "" },
    open(model, means) {
      const { baseURL, headers } = means;
      return new PackageModel(this, means, async (fetch) => {
        const { createGoogle } = await import("@ai-sdk/google");
        return createGoogle({ baseURL, headers, fetch, apiKey: NO_KEY })(model);
      });
    },
    takes: /^(image|audio|video)\/[\w.+-]+$|^application\/pdf$/,
    toolFiles: false,
    systemFirst: true,
    fit: googleOptions,
    counting: () => ({
      usual: 1.05,
      most: 1.5,
      foreign: 0.5,
      image: 6200,
      page: 3000,
      toolWords: 300,
      formWords: 200,
    }),
  },
  "openai-compatible": {
    baseUrl: undefined,
    key: BEARER,
    open(_model, means) {
      return new ChatModel(means, this);
    },
    takes: IMAGES_PDF_SOUND,
    toolFiles: false,
    systemFirst: false,
    fit: ({ request: { effort } }) => (effort === undefined ? {} : { reasoning: effort }),
    counting: () => openCounting,
  },
  ollama: {
    baseUrl: "http://127.0.0.1:11434/api",
    key: BEARER,
    open(model, means) {
      const { baseURL, headers } = means;
      return new PackageModel(this, means, async (fetch) => {
        const { createOllama } = await import("ollama-ai-provider-v2");
        return createOllama({ baseURL, headers, fetch })(model);
      });
    },
    takes: IMAGES,
    isLines: true,
    toolFiles: false,
    systemFirst: false,
    fit: ollamaOptions,
    counting: () => openCounting,
  },
};
