// Caller gate: limits a project's server to the hosts of its declaration, during a call, and only as far as the
// calling process may reach them.
//
// CALLER-GATE-1  Without a call in progress nothing is reachable.
// CALLER-GATE-2  Each request is checked against the declaration and against the calling process.

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
