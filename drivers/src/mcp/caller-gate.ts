// Caller gate: what a project's server may reach: hosts that its declaration names, while a process calls
// it, as far as that process may reach them itself.
//
// CALLER-GATE-1  Without a call under way nothing is reached.
// CALLER-GATE-2  Each request is asked about twice: of the declaration, and of the process that calls.

import { type DeviceContext, SysError, type Touch } from "@aos/protocol";
import type { StdioDeclaration } from "./declaration.ts";
import { declaredContext } from "./declared-gate.ts";

export function callerContext(
  declaration: StdioDeclaration,
  signal: AbortSignal,
  callers: ReadonlySet<DeviceContext>,
): DeviceContext {
  const declared = declaredContext(declaration, signal);
  const caller = (): DeviceContext | undefined => [...callers].at(-1);
  return {
    ...declared,
    permits: (touch: Touch) => declared.permits(touch) && (caller()?.permits(touch) ?? false),
    authorize: (touch: Touch) => {
      declared.authorize(touch);
      const whose = caller();
      if (whose === undefined)
        throw new SysError(
          "EACCES",
          `the MCP server ${declaration.name} opened a connection outside of a call`,
        );
      whose.authorize(touch);
    },
    granted: (kind) => (kind === "http" ? (caller()?.granted(kind) ?? []) : []),
  };
}
