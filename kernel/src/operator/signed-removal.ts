// Signed removal: the row that stays of runs whose rows go: their names, and the sum of what they have spent.

import type { AuditLog } from "../audit/audit-log.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import type { RemovalRow, ResultRun } from "../store/queries.ts";
import { removalText } from "../store/removal.ts";

interface Parts {
  readonly store: Store;
  readonly platform: Platform;
  readonly node: string;
  readonly audit: Pick<AuditLog, "sign">;
}

/** Of runs of one tenant. */
export async function signedRemoval(
  { store, platform, node, audit }: Parts,
  runs: readonly ResultRun[],
): Promise<RemovalRow> {
  const sum = (unit: "microUsd" | "tokens" | "toolCalls" | "overMicroUsd" | "overTokens") =>
    runs.reduce((total, run) => total + run[unit], 0);
  const row: RemovalRow = {
    key: await store.reserveKeys(1),
    tenant: runs[0]!.tenant,
    node,
    at: platform.now(),
    pids: runs.map(({ pid }) => pid),
    microUsd: sum("microUsd"),
    tokens: sum("tokens"),
    toolCalls: sum("toolCalls"),
    overMicroUsd: sum("overMicroUsd"),
    overTokens: sum("overTokens"),
    signature: null,
  };
  return { ...row, signature: audit.sign(removalText(row)) };
}
