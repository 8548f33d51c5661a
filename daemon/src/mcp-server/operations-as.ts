// AskAs: the gateway's operations as one caller has them, for a door that is not HTTP's own.
//
//   const ask = operationsAs(desk, caller)
//   const { pid } = await ask("spawn", { agent: "hello" }, signal)
//
// OPERATIONS-AS-1  What is asked for here is held to the same table of roles, the same tenant and the same rows
//     as over HTTP: there is nothing that a caller can do through this door and not through that one.

import {
  operationOf,
  SysError,
  type OperationAnswer,
  type OperationArgs,
  type OperationName,
  type routes,
} from "@aos/protocol";
import { z } from "zod";
import { operationHandlers, type OperationCall, type GatewayContext } from "../gateway/handlers.ts";
import type { Caller } from "../gateway/caller.ts";
import { requireOperation } from "../gateway/require-operation.ts";
import { tenantContext, refusePaths, withoutMachinePaths } from "../gateway/tenant-context.ts";

type Answered<Name extends OperationName> = (typeof routes)[Name]["streams"] extends true
  ? AsyncIterable<OperationAnswer<Name>>
  : OperationAnswer<Name>;

export type CallOperation = <Name extends OperationName>(
  name: Name,
  args: OperationArgs<Name>,
  signal: AbortSignal,
) => Promise<Answered<Name>>;

export function operationsAs(gateway: GatewayContext, caller: Caller): CallOperation {
  const mine = tenantContext(gateway, caller);
  return async (name, args, signal) => {
    requireOperation(caller, name);
    const checked = checkedBy(name, args as object);
    refusePaths(caller, checked);
    // The row has just checked these arguments; the compiler cannot follow a name that is not known.
    const asked = operationHandlers[name] as (
      gateway: GatewayContext,
      args: unknown,
      call: OperationCall,
    ) => Promise<never>;
    const until = AbortSignal.any([signal, gateway.closing, caller.gone]);
    try {
      return await asked(mine, checked, { signal: until, caller });
    } catch (error) {
      throw withoutMachinePaths(caller, gateway, error);
    }
  };
}

function checkedBy(name: OperationName, args: object): object {
  const { params, query, body } = operationOf(name);
  const row = z.strictObject({ ...params.shape, ...query.shape, ...body.shape });
  const parsed = row.safeParse(args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join(".") || name}: ${issue.message}`,
  );
  throw new SysError("EINVAL", problems.join("; "));
}
