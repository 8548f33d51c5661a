// File calls of people: a short process of the program `files` makes the call (run-to-end.ts). It holds the right to
// the mount of the path and nothing else.

import {
  AGENT_MEMORY,
  CONNECTORS,
  mountOf,
  SPACE_PARTS,
  SysError,
  type Json,
  type Label,
} from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "./gateway-context.ts";
import { runToEnd } from "./run-to-end.ts";

export interface FileCall {
  readonly call: "list" | "read" | "search" | "write" | "remove";
  readonly path: string;
  readonly query?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly data?: Json;
  /** The version that is written again. */
  readonly restores?: string;
}

export async function runFileCall(
  gateway: GatewayContext,
  wanted: FileCall,
  call: OperationCall,
  { tenant, label }: { readonly tenant?: string | undefined; readonly label?: Label },
): Promise<{ readonly pid: string; readonly output: Json }> {
  refuseUnnamedSpace(wanted.path);
  const capabilities = await capabilitiesFor(gateway.kernel, wanted, tenant);
  const what = `the call on ${wanted.path}`;
  const run = {
    agent: "file-call",
    program: "files",
    capabilities,
    input: wanted,
    what,
    tenant,
    ...omitUndefined({ label }),
  };
  return runToEnd(gateway, run, call);
}

/** The process that makes the call has a memory of its own, which nobody means. */
export function refuseUnnamedSpace(path: string): void {
  const part = SPACE_PARTS.find((one) => `${path}/`.startsWith(`/mem/${one}/`));
  if (part === undefined) return;
  const named = path.replace(/^\/mem/, `${AGENT_MEMORY}/AGENT`);
  throw new SysError("EINVAL", `each agent has its own /mem/${part}: name the agent`, {
    hint: `write ${named}, or pass --pid for what a process sees`,
  });
}

/** Patterns cannot name every path, so that the right is to all of its mount. */
async function capabilitiesFor(
  kernel: GatewayContext["kernel"],
  { call, path }: FileCall,
  tenant: string | undefined,
): Promise<string[]> {
  const mount = mountOf(path);
  if (mount === undefined || mount.guard === "own") return [];
  if (mount.guard === "memory") return [`memory:${mount.path}/**:${call}`];
  const [, , name = ""] = path.split("/");
  const place = mount.driver === "connector" ? `${CONNECTORS}/${name}` : mount.path;
  const connectors = await kernel.connectors(omitUndefined({ tenant }));
  const { secrets = [] } = connectors.find((one) => one.path === place) ?? {};
  const right = `file:${place}/**:${call === "search" ? "read" : call}`;
  return [right, ...secrets.map((secret) => `secret:${secret}:use`)];
}
