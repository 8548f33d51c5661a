// Embeddings for a daemon: the model that the configuration names.

import { createProviderEmbeddings } from "@aos/drivers";
import type { KernelOptions } from "@aos/kernel";
import type { EmbeddingDriver } from "@aos/protocol";
import type { ModelConfig } from "../model-config.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { Declaration } from "./model-registry.ts";

interface Parts {
  /** Of this machine. */
  readonly local: EmbeddingDriver;
  readonly declaration: (provider: string) => Declaration | undefined;
}

export function embeddingOptionsOf(
  { embeddings }: Pick<ModelConfig, "embeddings">,
  { local, declaration }: Parts,
): Pick<KernelOptions, "embeddings" | "embeddingsUsdPerDay"> {
  const { model, dimensions, price, usdPerDay } = embeddings;
  if (model === "none") return {};
  const slash = model.indexOf("/");
  if (slash < 0) return { embeddings: local };
  const provider = declaration(model.slice(0, slash))!; // what the configuration was checked for
  const { name, type, baseUrl, keySecret, headers } = provider;
  return {
    embeddings: createProviderEmbeddings({
      name,
      type,
      baseUrl,
      model: model.slice(slash + 1),
      ...omitUndefined({ keySecret, headers, dimensions, price }),
    }),
    ...omitUndefined({ embeddingsUsdPerDay: usdPerDay }),
  };
}
