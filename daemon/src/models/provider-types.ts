// What each type of provider needs: where its requests go, and where its key does.
//
// PROVIDER-TYPES-1  A key goes to one header of one origin, which its secret is bound to.

import { knownProviders, type ProviderType } from "@aos/protocol";

/** Where requests go unless the configuration says; undefined where it has to. */
const baseUrls: Readonly<Record<ProviderType, string | undefined>> = {
  anthropic: knownProviders["anthropic"]!.baseUrl,
  openai: knownProviders["openai"]!.baseUrl,
  "openai-chat": knownProviders["openai"]!.baseUrl,
  google: knownProviders["google"]!.baseUrl,
  "openai-compatible": undefined,
  ollama: knownProviders["ollama"]!.baseUrl,
};

export const baseUrlOf = (name: string, type: ProviderType): string | undefined =>
  knownProviders[name]?.type === type ? knownProviders[name].baseUrl : baseUrls[type];

/** PROVIDER-TYPES-1. What stands before the key there (`Bearer `) is put in by the driver. */
export const keyHeaders: Readonly<Record<ProviderType, string>> = {
  anthropic: "x-api-key",
  openai: "authorization",
  "openai-chat": "authorization",
  google: "x-goog-api-key",
  "openai-compatible": "authorization",
  ollama: "authorization",
};

/** Names that mean something else. */
export const takenNames: ReadonlySet<string> = new Set(["scripted", "replay", "record"]);

export function isLoopbackUrl(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}
