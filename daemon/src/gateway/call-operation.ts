// CallOperation: one call of an operation by one caller, over HTTP, a WebSocket or MCP.
//
//   role and reach → no machine path for a tenant → the named processes → the handler
//
// CALL-OPERATION-1  An operation runs only for a caller whose role and reach allow it, on what that caller may see
//     (tenant-kernel.ts).
// CALL-OPERATION-2  A process argument (a pid, a unique beginning, `@last`) is resolved only here, among those that
//     the caller may see: a handler receives pids.

import { operationOf, type Operation, type OperationName, type ProcessId } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import type { Caller } from "./caller.ts";
import { findProcess } from "./find-process.ts";
import type { GatewayContext, OperationCall } from "./gateway-context.ts";
import { operationHandlers } from "./handlers/index.ts";
import { requireOperation } from "./require-operation.ts";
import { tenantContext, refusePaths, withoutMachinePaths } from "./tenant-context.ts";

type Args = Readonly<Record<string, unknown>>;

/** `args` were checked against the row. */
export async function callOperation(
  gateway: GatewayContext,
  caller: Caller,
  name: OperationName,
  args: Args,
  { signal, pid }: { readonly signal: AbortSignal; readonly pid?: ProcessId | undefined },
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
    return await handler(mine, found, { signal: until, caller, pid });
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
