// File calls of people: a short process of the program `files` makes the call, so that the gate judges it and the
// journal has it. It holds the right to the mount of the path and nothing else.

import type { OperationArgs } from "@aos/protocol";
import { CONNECTORS, mountOf, SysError, type Json } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "./gateway-context.ts";
import { readSpawn } from "./read-spawn.ts";
import { refuseIfClosing } from "./until-closing.ts";

export interface FileCall {
  readonly call: "list" | "read" | "search" | "write" | "remove";
  readonly path: string;
  readonly query?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly data?: Json;
}

const MOST_WAIT_MS = 60_000;

export async function runFileCall(
  gateway: GatewayContext,
  wanted: FileCall,
  { caller, signal }: OperationCall,
  tenant: string | undefined,
): Promise<{ pid: string; value: Json }> {
  const { kernel, policy, closing } = gateway;
  const manifest = {
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "file-call",
    program: "files",
    capabilities: await capabilitiesFor(kernel, wanted, tenant),
  };
  const request = readSpawn(gateway, {
    manifest: { file: "file-call.yaml", text: JSON.stringify(manifest) },
    input: wanted as unknown as Json,
    ...omitUndefined({ tenant }),
  } satisfies OperationArgs<"spawn">);
  const pid = await policy.admit([], () => kernel.spawn({ ...request, by: caller.id }));
  const { state, output, error } = await kernel.wait(pid, { signal, timeoutMs: MOST_WAIT_MS });
  refuseIfClosing(closing, pid);
  if (error !== null) throw SysError.from(error);
  if (state !== "completed")
    throw new SysError("ETIMEDOUT", `the call on ${wanted.path} is still ${state}`, {
      hint: `\`aos wait ${pid}\` has its answer; a person may have to approve it: \`aos approvals\``,
    });
  return { pid, value: output };
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
