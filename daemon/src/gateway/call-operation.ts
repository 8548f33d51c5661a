// CallOperation: one call of an operation by one caller, over HTTP, a WebSocket or MCP.
//
//   role and reach → no machine path for a tenant → the named processes → the handler
//
// CALL-OPERATION-1  An operation runs only for a caller whose role and reach allow it, on what that caller may see
//     (tenant-kernel.ts).
// CALL-OPERATION-2  A process argument (a pid, a unique beginning, `@last`) is resolved only here, among those that
//     the caller may see: a handler receives pids.

import type { Kernel } from "@aos/kernel";
import {
  hasRole,
  type Operation,
  type OperationName,
  operationOf,
  type ProcessId,
  SysError,
} from "@aos/protocol";
import type { Caller } from "./caller.ts";
import { findProcess } from "./find-process.ts";
import type { GatewayContext, OperationCall } from "./gateway-context.ts";
import { operationHandlers } from "./handlers/index.ts";
import { refusePaths, tenantContext, withoutMachinePaths } from "./tenant-context.ts";

type Args = Readonly<Record<string, unknown>>;

/** `args` were checked against the row. */
export async function callOperation(
  gateway: GatewayContext,
  caller: Caller,
  name: OperationName,
  args: Args,
  { signal, pid, onProgress }: Pick<OperationCall, "signal" | "pid" | "onProgress">,
): Promise<unknown> {
  requireOperation(caller, name); // CALL-OPERATION-1
  const row = operationOf(name);
  refusePaths(caller, row, args);
  const mine = tenantContext(gateway, caller);
  const until = AbortSignal.any([signal, gateway.closing, caller.gone]);
  // The compiler cannot follow a name that is not known.
  const handler = operationHandlers[name] as (
    gateway: GatewayContext,
    args: Args,
    call: OperationCall,
  ) => Promise<unknown>;
  try {
    const found = await findProcesses(mine.kernel, row, args);
    return await handler(mine, found, { signal: until, caller, pid, onProgress });
  } catch (error) {
    throw withoutMachinePaths(caller, gateway, error);
  }
}

/** CALL-OPERATION-2. */
async function findProcesses(kernel: Kernel, row: Operation, args: Args): Promise<Args> {
  const found: Record<string, ProcessId> = {};
  for (const name of row.processes) {
    const named = args[name];
    if (typeof named === "string") found[name] = await findProcess(kernel, named);
  }
  return { ...args, ...found };
}

/** What role or reach the caller lacks for an operation, by its row; undefined when it may call it. */
export function roleRefusal(
  caller: Pick<Caller, "role" | "tenant">,
  name: OperationName,
): string | undefined {
  const { role, reach } = operationOf(name);
  if (!hasRole(caller.role, role))
    return `${name} needs the role ${role}, and this is a ${caller.role}`;
  if (reach === "machine" && caller.tenant !== null)
    return `${name} concerns every tenant, and this caller is of ${caller.tenant} only`;
  return undefined;
}

export function requireOperation(
  caller: Pick<Caller, "role" | "tenant">,
  name: OperationName,
): void {
  const refusal = roleRefusal(caller, name);
  if (refusal === undefined) return;
  throw new SysError("EACCES", refusal, { hint: "ask the operator for a token with that role" });
}
