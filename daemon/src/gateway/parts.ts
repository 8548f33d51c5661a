// Parts: the gateway without a daemon, for the tests of this repository. Not a public interface.

export { createApp } from "./app.ts";
export { acceptSockets } from "./attach-socket.ts";
export type { Caller, GatewayEnv } from "./caller.ts";
export { callOperation } from "./call-operation.ts";
export type { GatewayContext } from "./gateway-context.ts";
export { operationHandlers } from "./handlers/index.ts";
export { IdempotencyStore } from "./idempotency-store.ts";
export { tenantKernel } from "./tenant-kernel.ts";
export { TokenRegistry } from "./tokens.ts";
export { httpConfigOf, httpSection } from "../http-config.ts";
export { listenOnNetwork, type HttpListener, type ListenOptions } from "../http-listener.ts";
