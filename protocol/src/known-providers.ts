// Providers that are known by name and need only a key.

import type { ProviderType } from "./operations/model.ts";

export interface KnownProvider {
  readonly type: ProviderType;
  readonly baseUrl: string;
  /** False where none is needed. */
  readonly key?: false;
  /** What people call it. */
  readonly title: string;
}

export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    type: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    title: "Anthropic (Claude)",
  },
  openai: { type: "openai", baseUrl: "https://api.openai.com/v1", title: "OpenAI" },
  google: {
    type: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    title: "Google (Gemini)",
  },
  deepseek: {
    type: "openai-compatible",
    baseUrl: "https://api.deepseek.com/v1",
    title: "DeepSeek",
  },
  openrouter: {
    type: "openai-compatible",
    baseUrl: "https://openrouter.ai/api/v1",
    title: "OpenRouter",
  },
  ollama: {
    type: "ollama",
    baseUrl: "http://127.0.0.1:11434/api",
    key: false,
    title: "Ollama, on this machine",
  },
};

/** The secret that is a provider's key unless the configuration says: `my-lab` → `MY_LAB_API_KEY`. */
export const keyNameOf = (provider: string): string =>
  `${provider
    .toUpperCase()
    .replaceAll("-", "_")
    .replace(/^(?=\d)/, "P")
    .slice(0, 55)}_API_KEY`;
