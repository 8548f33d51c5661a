// Backup: what the kernel has, handed over while it goes on.
//
// KERNEL-BACKUP-1  The signed log is handed over before the database: a store that is ahead of its log is what a crash
//     leaves, and one that is behind it has lost something.
// KERNEL-BACKUP-2  Retention waits: what the log has as there is in the database too.

import type { KernelBackup, KernelBackupSink } from "../api.ts";
import { SCHEMA_VERSION } from "../store/schema.ts";
import type { KernelOptions } from "../options.ts";
import { newPlatform } from "../platform/clock.ts";
import { openVault } from "../secret/secret-store.ts";
import { openStore } from "../store/open.ts";
import { composeKernel } from "./compose-kernel.ts";
import type { KernelParts } from "./kernel-parts.ts";

export async function backUp(parts: KernelParts, sink: KernelBackupSink): Promise<KernelBackup> {
  const { store, journal, audit, retention, platform, node } = parts;
  await journal.durable();
  return retention.whileItWaits(async () => {
    await audit.whileStill(() => sink.signedLog()); // KERNEL-BACKUP-1
    let endedAt = platform.now();
    const database = {
      file: (name: string, content: AsyncIterable<Uint8Array>) => sink.file(name, content),
      lastMoment: () => void (endedAt = platform.now()),
    };
    await store.backUp(database, sink.scratch);
    return {
      schema: SCHEMA_VERSION,
      store: store.kind,
      node,
      endedAt,
      sign: (text: string) => audit.sign(text),
    };
  });
}

/** The same of a store that no kernel runs on: nothing is claimed or started. */
export async function handOver(
  given: KernelOptions,
  sink: KernelBackupSink,
): Promise<KernelBackup> {
  const platform = given.platform ?? newPlatform();
  const options = { ...given, platform };
  const store = await openStore(options.store ?? "memory");
  try {
    const parts = composeKernel(store, options, await openVault(store, options, platform));
    await parts.audit.openToRead();
    return await backUp(parts, sink);
  } finally {
    await store.close();
  }
}
