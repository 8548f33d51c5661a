export { createProvider, type ProviderOptions } from "./provider.ts";
