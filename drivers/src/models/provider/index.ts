export {
  createProviderEmbeddings,
  hasEmbeddings,
  type ProviderEmbeddingsOptions,
} from "./embedding-provider.ts";
export { createProvider, type ProviderOptions } from "./provider.ts";
