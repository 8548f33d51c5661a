// Read runs: runs in a file of their own, as an operator sees them. Nothing of them runs, and nothing is written.
//
// READ-RUNS-1  What can be asked is what changes nothing.

import { SysError, type JournalRecord, type ProcessDetail } from "@aos/protocol";
import { processDetailOf } from "../inspection/inspect.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { ArchiveBatch, KernelOptions } from "../options.ts";
import { newPlatform } from "../platform/clock.ts";
import { openVault } from "../secret/secret-store.ts";
import type { Store } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import type { ProcessRow } from "../store/rows.ts";
import { archivedRun, isSound } from "./archive-batch.ts";
import { composeKernel } from "./compose-kernel.ts";
import { bindProcessOperations, type ProcessOperations } from "./process-operations.ts";

/** READ-RUNS-1. */
export const readingOperations = [
  "pastRun",
  "manifest",
  "inferences",
  "context",
  "exportContext",
  "causes",
  "moment",
  "why",
  "replay",
  "estimateReplay",
] as const satisfies readonly (keyof ProcessOperations)[];

export interface RunReader extends Pick<ProcessOperations, (typeof readingOperations)[number]> {
  show(pid: string): Promise<ProcessDetail>;
  journal(pid: string, options?: { after?: number; limit?: number }): Promise<JournalRecord[]>;
  /** Those that have ended. */
  runs(): Promise<ArchiveBatch["runs"]>;
  /** The pids of those whose records do not lead to the end of their chain. */
  damaged(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openRunReader(given: KernelOptions): Promise<RunReader> {
  const platform = given.platform ?? newPlatform();
  const { auditFolder: _log, keyFile: _key, secretKeyFile: _seal, ...rest } = given; // nothing of ours is in it
  const options = { ...rest, platform };
  const store = await openStore(options.store ?? "memory");
  try {
    const parts = composeKernel(store, options, await openVault(store, options, platform));
    parts.hush();
    const find = async (pid: string) => {
      const row = await store.process(pid);
      if (row === undefined) throw new SysError("ENOENT", `unknown process ${pid}`);
      return row;
    };
    return {
      ...bindProcessOperations(parts, find),
      show: async (pid) => processDetailOf(store, await find(pid), undefined),
      async journal(pid, { after = -1, limit = Infinity } = {}) {
        const { key } = await find(pid);
        const rows = await store.records(key, { after, upTo: after + limit });
        return rows.map((row) => parseRecord(row.text));
      },
      async runs() {
        const rows = await endedRows(store);
        return Promise.all(rows.map((row) => archivedRun(store, row)));
      },
      async damaged() {
        const pids: string[] = [];
        for (const { key, pid, compacted } of await endedRows(store))
          if (!compacted && !(await isSound(store, key))) pids.push(pid);
        return pids;
      },
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function endedRows(store: Store): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const key of await store.allKeys()) {
    const row = await store.processByKey(key);
    if (row !== undefined && row.endedAt !== null) rows.push(row);
  }
  return rows;
}
