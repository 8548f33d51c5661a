// Examine: a database that no kernel runs on, audited and replayed. Nothing is claimed, started, logged or signed.

import type { AuditReport, KernelExamination, ReplayedRun } from "../api.ts";
import { verifyAll } from "../audit/audit.ts";
import type { KernelOptions } from "../options.ts";
import { newPlatform } from "../platform/clock.ts";
import { rerun } from "../replay/rerun.ts";
import { openVault } from "../secret/secret-store.ts";
import { openStore } from "../store/open.ts";
import type { ProcessRow } from "../store/rows.ts";
import { composeKernel } from "./compose-kernel.ts";
import type { KernelParts } from "./kernel-parts.ts";

interface Wishes {
  readonly replays: boolean;
  readonly onProgress: (what: string, done: number, of: number) => void;
}

export async function examineStore(
  given: KernelOptions,
  { replays, onProgress }: Wishes,
): Promise<KernelExamination> {
  const platform = given.platform ?? newPlatform();
  const options = { ...given, platform };
  const store = await openStore(options.store ?? "memory");
  try {
    const parts = composeKernel(store, options, await openVault(store, options, platform));
    parts.hush();
    await parts.audit.openToRead();
    const keys = await store.allKeys();
    onProgress("audit", 0, keys.length);
    const audit: AuditReport = await verifyAll(store, parts.audit);
    const runs: ReplayedRun[] = [];
    let living = 0;
    for (const [at, key] of keys.entries()) {
      onProgress("replay", at, keys.length);
      const row = await store.processByKey(key);
      if (row === undefined) continue;
      if (row.endedAt === null) living += 1;
      if (replays) runs.push(await replayed(parts, row));
    }
    return { audit, runs, processes: keys.length, living };
  } finally {
    await store.close();
  }
}

/** Runs that came from elsewhere, replayed: there is no signed log here that they could be compared with. */
export async function examineRuns(
  given: KernelOptions,
  onProgress: Wishes["onProgress"],
): Promise<ReplayedRun[]> {
  const platform = given.platform ?? newPlatform();
  const { auditFolder: _log, keyFile: _key, secretKeyFile: _seal, ...rest } = given; // there is nothing of ours in it
  const options = { ...rest, platform };
  const store = await openStore(options.store ?? "memory");
  try {
    const parts = composeKernel(store, options, await openVault(store, options, platform));
    parts.hush();
    const runs: ReplayedRun[] = [];
    const keys = await store.allKeys();
    for (const [at, key] of keys.entries()) {
      onProgress("replay", at, keys.length);
      runs.push(await replayed(parts, (await store.processByKey(key))!));
    }
    return runs;
  } finally {
    await store.close();
  }
}

/** A run whose program is not here says nothing about its journal, which the audit has checked. */
async function replayed(parts: KernelParts, row: ProcessRow): Promise<ReplayedRun> {
  const { pid, agent, state } = row;
  const run = { pid, agent, state };
  if (row.compacted) return { ...run, outcome: "compacted", reason: null };
  try {
    const { identical, difference } = await rerun(parts, row);
    const reason = difference === null ? null : JSON.stringify(difference);
    return { ...run, outcome: identical ? "identical" : "different", reason };
  } catch (error) {
    return { ...run, outcome: "not-replayed", reason: (error as Error).message };
  }
}
