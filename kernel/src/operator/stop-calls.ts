// Stops running calls whose power is gone: a revoked grant, a lowered ceiling.

import { SysError } from "@aos/protocol";
import { isCoveredBy, type CapabilityKind } from "../capability/index.ts";
import type { Platform } from "../platform/clock.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { PendingCall } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { TenantKey } from "../store/rows.ts";

/** How long a tool has to stop when its power is gone; after that its result is not wanted any more. */
const STOP_WITHIN_MS = 5000;

interface Parts {
  readonly table: ProcessTable;
  readonly blocks: BlockRegistry;
  readonly platform: Platform;
}

/**
 * Stops the running calls of a tenant that its ceiling does not cover, and those that were told what they
 * hold under the ceiling before. Returns how many.
 */
export async function stopBeyond(parts: Parts, tenant: TenantKey): Promise<number> {
  const ceiling = parts.blocks.ceilingOf(tenant);
  if (ceiling === null) return 0;
  const now = parts.platform.now();
  const covers = (kind: string, resource: string, verb: string): boolean =>
    isCoveredBy(ceiling, { kind: kind as CapabilityKind, resource, verb }, now);
  const isBeyond = ({ touches, also, chains }: PendingCall): boolean =>
    chains.length > touches.length + also.length ||
    !touches.every(({ kind, resource, verb }) => covers(kind, resource, verb)) ||
    !also.every(([kind, resource, verb]) => covers(kind, resource, verb));
  const reason = new SysError(
    "EACCES",
    `the ceiling of tenant ${ceiling.ceilingOf}, set by the operator, was changed while it ran`,
  );
  const stopping: Promise<void>[] = [];
  for (const process of parts.table.all()) {
    if (process.tenant !== tenant) continue;
    for (const call of process.pending.values())
      if (isBeyond(call) && call.interrupt !== undefined)
        stopping.push(withinStopLimit(call.interrupt(reason)));
  }
  await Promise.all(stopping);
  return stopping.length;
}

export async function withinStopLimit(stopping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, STOP_WITHIN_MS);
  });
  await Promise.race([stopping, late]);
  clearTimeout(timer);
}
