// Thoughts: the reasoning of a model, and what its vendor wants back with the next request: signatures of Anthropic,
// sealed reasoning of OpenAI, thought signatures of Gemini.
//
// THOUGHTS-1  Reasoning goes back only to its own provider: others refuse or misread it.
// THOUGHTS-2  A signature that belongs to a call or to text is kept as reasoning without text.

import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Json, Thought } from "@aos/protocol";

/** What is in `meta`. */
interface Seal {
  /** The provider's name in the configuration. */
  readonly by: string;
  /** The call that it belongs to; "" for the words. */
  readonly on?: string;
  readonly data?: SharedV4ProviderMetadata;
}

export const WORDS = "";

export function thoughtOf(
  text: string,
  by: string,
  data: SharedV4ProviderMetadata | undefined,
  on?: string,
): Thought {
  const seal = { by, ...(on === undefined ? {} : { on }), ...(data === undefined ? {} : { data }) };
  return { text, meta: seal as unknown as Json };
}

export interface OwnThoughts {
  readonly spoken: readonly { readonly text: string; readonly data?: SharedV4ProviderMetadata }[];
  /** By the id of the call, or `WORDS`. */
  readonly sealed: ReadonlyMap<string, SharedV4ProviderMetadata>;
}

/** THOUGHTS-1. */
export function ownThoughts(thoughts: readonly Thought[] = [], provider: string): OwnThoughts {
  const spoken: { text: string; data?: SharedV4ProviderMetadata }[] = [];
  const sealed = new Map<string, SharedV4ProviderMetadata>();
  for (const { text, meta } of thoughts) {
    const seal = sealOf(meta);
    if (seal?.by !== provider) continue;
    if (seal.on !== undefined) {
      if (seal.data !== undefined) sealed.set(seal.on, seal.data);
    } else spoken.push({ text, ...(seal.data === undefined ? {} : { data: seal.data }) });
  }
  return { spoken, sealed };
}

/** A program can put anything there. */
function sealOf(meta: Json | undefined): Seal | undefined {
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) return undefined;
  const { by, on, data } = meta as { by?: Json; on?: Json; data?: Json };
  if (typeof by !== "string") return undefined;
  const isData = typeof data === "object" && data !== null && !Array.isArray(data);
  return {
    by,
    ...(typeof on === "string" ? { on } : {}),
    ...(isData ? { data: data as unknown as SharedV4ProviderMetadata } : {}),
  };
}

/** Whether the vendor wants this back with a call or with words. */
export const hasSignature = (data: SharedV4ProviderMetadata | undefined): boolean =>
  Object.values(data ?? {}).some((fields) => typeof fields?.["thoughtSignature"] === "string");
