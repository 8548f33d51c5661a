// Served call: one call of a tool that requests files, web, secrets and people, in a tool host or in the kernel's own
// process. Its requests are limited to what it declared and to its duration.

import {
  type DeviceContext,
  type Effect,
  type Json,
  type Sink,
  SysError,
  type Tool,
} from "@aos/protocol";
import { whileItLasts } from "./call-context.ts";
import type { HostCallContext, HostRequestName } from "./host-protocol.ts";
import { serveHostRequest } from "./host-requests.ts";

export interface StatedCall {
  readonly name: string;
  readonly effect: Effect;
  readonly egress?: boolean | undefined;
  readonly sinks: readonly Sink[];
}

export type ServeRequest = (what: HostRequestName, args: Json) => Promise<Json>;

export async function servedCall(
  context: DeviceContext,
  tools: ReadonlyMap<string, Tool>,
  { name, effect, egress = false, sinks }: StatedCall,
  run: (told: HostCallContext, serve: ServeRequest) => Promise<Json>,
): Promise<Json> {
  const { pid, tenant, tree, key, workspace } = context;
  const over = new AbortController();
  const requestContext = {
    tools,
    context: whileItLasts(context, over.signal),
    place: { workspace },
    stated: { name, effect, egress: egress || effect === "external", sinks },
  };
  try {
    return await run(
      { pid, tenant, tree, key, workspace: { isCow: workspace.isCow } },
      (what, args) => serveHostRequest(requestContext, what, args),
    );
  } finally {
    over.abort(new SysError("EINTR", `the call of ${name} has ended`));
  }
}

/** Where what a tool is given goes, where it does not say. */
export const sinksByEffect = (effect: Effect): readonly Sink[] =>
  effect === "external" ? ["egress"] : effect === "idempotent" ? ["write"] : [];
