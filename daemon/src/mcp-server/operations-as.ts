// Operations as: the gateway's operations for one caller, for interfaces other than HTTP.
//
//   const ask = operationsAs(gateway, caller)
//   const { pid } = await ask("spawn", { agent: "hello" }, signal)
//
// OPERATIONS-AS-1  Calls have the same roles, tenant separation and rows as over HTTP: this interface allows nothing
//     more.

import {
  argumentFields,
  SysError,
  type OperationAnswer,
  type OperationArgs,
  type OperationName,
  type routes,
} from "@aos/protocol";
import { z } from "zod";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Caller } from "../gateway/caller.ts";
import { callOperation, requireOperation } from "../gateway/call-operation.ts";

type Answered<Name extends OperationName> = (typeof routes)[Name]["streams"] extends true
  ? AsyncIterable<OperationAnswer<Name>>
  : OperationAnswer<Name>;

export type CallOperation = <Name extends OperationName>(
  name: Name,
  args: OperationArgs<Name>,
  signal: AbortSignal,
) => Promise<Answered<Name>>;

export function operationsAs(gateway: GatewayContext, caller: Caller): CallOperation {
  return async (name, args, signal) => {
    requireOperation(caller, name); // before what the arguments are
    const checked = checkedBy(name, args as object);
    return (await callOperation(gateway, caller, name, checked, { signal })) as never;
  };
}

function checkedBy(name: OperationName, args: object): Record<string, unknown> {
  const row = z.strictObject(argumentFields(name) as z.ZodRawShape);
  const parsed = row.safeParse(args);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join(".") || name}: ${issue.message}`,
  );
  throw new SysError("EINVAL", problems.join("; "));
}
