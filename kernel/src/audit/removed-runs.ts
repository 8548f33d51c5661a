// Removed runs: runs without rows, removed by retention. A removal counts if this kernel's key signed it. Where nodes
// share a store, signatures of other keys are accepted; without a log every removal counts.

import type { Store } from "../store/contract.ts";
import { removalText } from "../store/removal.ts";
import type { AuditLog } from "./audit-log.ts";

export async function removedRuns(
  store: Store,
  log: Pick<AuditLog, "isKept" | "isSigned">,
): Promise<{ readonly pids: ReadonlySet<string>; readonly problems: readonly string[] }> {
  const pids = new Set<string>();
  const problems: string[] = [];
  for (const row of await store.removals()) {
    const isOurs = row.signature === null ? false : log.isSigned(removalText(row), row.signature);
    if (!log.isKept || (isOurs ?? store.kind === "postgres")) {
      for (const pid of row.pids) pids.add(pid);
    } else {
      problems.push(`the removal of ${row.pids.length} runs (${row.key}) was not signed as it is`);
    }
  }
  return { pids, problems };
}
