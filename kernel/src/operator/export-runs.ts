// Export runs: whole trees, into a file that can be replayed elsewhere.

import { SysError } from "@aos/protocol";
import type { ExportedRuns, RunSelection } from "../api.ts";
import { writeRunRows } from "../store/copy/run-rows.ts";
import type { ProcessRow } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";

/** The trees that the chosen runs are of: what a child may do follows from those above it. */
export async function exportRuns(
  { store, journal, retention, audit }: KernelParts,
  wanted: RunSelection,
  file: string,
): Promise<ExportedRuns> {
  await journal.durable();
  return retention.whileItWaits(async () => {
    const rootOf = new Map<number, number>();
    const roots = new Set<number>();
    for (const key of await store.allKeys()) {
      const row = await store.processByKey(key);
      if (row === undefined) continue;
      rootOf.set(key, row.root);
      if (isWanted(row, wanted)) roots.add(row.root);
    }
    if (roots.size === 0) throw new SysError("ENOENT", "there is no such run to export");
    const keys = [...rootOf.keys()].filter((key) => roots.has(rootOf.get(key)!));
    const { runs, records } = await writeRunRows(store, keys, file);
    if (records === 0)
      throw new SysError("ESTATE", "there is nothing to export: the history was compacted");
    return { runs, records, sign: (text: string) => audit.sign(text), signer: audit.verifierKey };
  });
}

const isWanted = (
  { pid, agent, startedAt }: ProcessRow,
  { pid: one, agent: of, sinceMs }: RunSelection,
): boolean =>
  (one === undefined || pid === one) &&
  (of === undefined || agent === of) &&
  (sinceMs === undefined || startedAt >= sinceMs);
