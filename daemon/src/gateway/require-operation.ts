// RequireOperation: checks role and reach of a caller against the row of an operation.

import { hasRole, operationOf, SysError, type OperationName } from "@aos/protocol";
import type { Caller } from "./caller.ts";

/** Undefined when it may; otherwise what is missing. */
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
