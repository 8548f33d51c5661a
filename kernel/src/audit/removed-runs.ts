// Removed runs: those of which no row is left, because retention removed them. A removal counts if our key has
// signed it; where nodes share a store each has a key of its own, and what another key signed is taken as it
// is. Where no log is kept there is no key, and every removal counts.

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
