// Server state: the state of a server as one word and one line.

import type { McpServerReport, SysError } from "@aos/protocol";
import { type McpDeclaration, secretsOf } from "./declaration.ts";
import { isPerProcess } from "./process-view.ts";
import type { PinChange } from "./tool-pins.ts";

export interface ServerCondition {
  readonly changes: readonly PinChange[];
  readonly isReady: boolean;
  readonly isConnecting: boolean;
  readonly failure: SysError | undefined;
}

export function serverState(
  declaration: McpDeclaration,
  { changes, isReady, isConnecting, failure }: ServerCondition,
): Pick<McpServerReport, "state" | "detail"> {
  if (changes.length > 0) {
    const names = changes.map(({ tool }) => tool).join(", ");
    const detail = `changed since they were pinned: ${names}; review them and run aos mcp pin ${declaration.name}`;
    return { state: "changed", detail };
  }
  if (isReady) return { state: "ready", detail: null };
  const detail = failure?.message ?? null;
  if (isConnecting) return { state: "connecting", detail };
  if (failure !== undefined) return { state: "failed", detail };
  const secrets = secretsOf(declaration).join(", ");
  if (secrets !== "")
    return { state: "stopped", detail: `it starts with the first call that may use ${secrets}` };
  const isForProcesses = isPerProcess(declaration) || !declaration.isOperators;
  return {
    state: "stopped",
    detail: isForProcesses ? "it starts with the first call of each process" : null,
  };
}
