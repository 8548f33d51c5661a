// The proxy: the way out of the network for programs in the sandbox.

export { openProxy, type Proxy } from "./proxy.ts";
export { placeholdersFor } from "./placeholders.ts";
export type { ProxiedRequest } from "./proxy-log.ts";
