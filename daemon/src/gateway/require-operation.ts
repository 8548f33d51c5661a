// MayCall: the table of roles, as a refusal that is thrown.

import { roleRefusal, SysError, type OperationName } from "@aos/protocol";
import type { Caller } from "./caller.ts";

export function requireOperation(
  caller: Pick<Caller, "role" | "tenant">,
  name: OperationName,
): void {
  const refusal = roleRefusal(caller, name);
  if (refusal === undefined) return;
  throw new SysError("EACCES", refusal, { hint: "ask the operator for a token with that role" });
}
