// The proxy: network access of sandboxed programs.

export { openProxy, type Proxy } from "./proxy.ts";
export { placeholdersFor } from "./placeholders.ts";
export type { ProxiedRequest } from "./proxy-log.ts";
