export { createProviderEmbeddings, hasEmbeddings } from "./embedding-provider.ts";
export { createProvider, type ProviderOptions } from "./provider.ts";
