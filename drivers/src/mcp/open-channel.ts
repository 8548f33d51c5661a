// Open channels: opens a protocol channel for a declaration.

import type { DeviceContext } from "@aos/protocol";
import type { EgressOptions } from "../web/egress.ts";
import type { CallRegistry } from "./call-registry.ts";
import type { McpChannel } from "./connection.ts";
import type { McpDeclaration } from "./declaration.ts";
import type { DeclaredVisibility } from "./declared-visibility.ts";
import { openHttp } from "./open-http.ts";
import type { SignIn } from "./sign-in.ts";
import { type ServerCall, type StdioServerOptions, startStdioServer } from "./stdio-server.ts";

export interface ChannelOptions extends StdioServerOptions {
  readonly egress?: EgressOptions;
}

/** For whom it is opened, and what is kept from one opening to the next. */
export interface Opening {
  readonly registry: CallRegistry;
  /** Of a server over HTTP. */
  readonly signIn: SignIn | undefined;
  readonly context: DeviceContext | undefined;
  /** Of a server that runs for one process. */
  readonly call?: ServerCall | undefined;
  /** Of a program. */
  readonly sight: DeclaredVisibility | undefined;
}

export async function openChannel(
  declaration: McpDeclaration,
  means: ChannelOptions,
  { registry, signIn, context, call, sight }: Opening,
): Promise<McpChannel> {
  if (declaration.kind === "http") return openHttp(declaration, registry, signIn!, means.egress);
  const { transport, heldBy, close } = await startStdioServer(declaration, means, context, {
    call,
    sight: sight!,
  });
  return { transport, heldBy, departure: () => transport.departure, close, probeMs: PROBE_MS };
}

/** Time for a program to answer in the newer revision before it is assumed to be older. */
const PROBE_MS = 5_000;
