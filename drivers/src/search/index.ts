// Search by meaning.

export { createEmbeddings, type Embeddings } from "./embeddings.ts";
