// A home of a test's own on either database, with a kernel that archives, as a daemon would have it.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@aos/daemon";
import { ArchivedRuns, ArchiveFolder, archivedKernel, homeOf, type Home } from "@aos/daemon/parts";
import type { Kernel, Retention, RunArchive } from "@aos/kernel";
import { newPlatform } from "@aos/kernel/parts";
import { programs } from "@aos/userland";
import { onTestFinished } from "vitest";
import type { StoreLocation } from "../../helpers/stores.ts";
import { own } from "./archive-programs.ts";
import { newFolder } from "./backup-home.ts";

export interface ArchiveHome {
  readonly home: Home;
  readonly folder: string;
  readonly store: StoreLocation;
}

export function newArchiveHome(database: StoreLocation | undefined): ArchiveHome {
  const above = newFolder();
  const home = homeOf({ AOS_HOME: join(above, "home") });
  const folder = join(above, "archive");
  mkdirSync(home.folder, { mode: 0o700 });
  mkdirSync(folder, { mode: 0o700 });
  return { home, folder, store: database ?? { file: home.database } };
}

export interface ArchivingKernel {
  readonly kernel: Kernel;
  readonly archive: ArchivedRuns;
  /** As the gateway has it. */
  readonly seen: Kernel;
}

export async function archivingKernel(
  { home, folder, store }: ArchiveHome,
  given: {
    retention?: Partial<Retention>;
    wrapped?: (archive: RunArchive) => RunArchive;
    laterMs?: number;
    isArchiving?: boolean;
  } = {},
): Promise<ArchivingKernel> {
  const real = newPlatform();
  const files = new ArchiveFolder(folder, home);
  const kernel: Kernel = await createKernel({
    store,
    auditFolder: home.audit,
    keyFile: home.key,
    secretKeyFile: home.secretKey,
    programs: own,
    tenants: { acme: { ceiling: "none" } },
    ...(given.isArchiving === false ? {} : { archive: given.wrapped?.(files) ?? files }),
    platform: { ...real, now: () => real.now() + (given.laterMs ?? 0) },
    retention: { maxAgeMs: 1e15, maxBytes: 1e15, maxRuns: 1e9, ...given.retention },
  });
  const archive = new ArchivedRuns({
    folder: files,
    kernel,
    options: () => ({ programs: { ...programs, ...own } }),
  });
  onTestFinished(async () => {
    await archive.close();
    await kernel.close();
  });
  return { kernel, archive, seen: archivedKernel(kernel, archive) };
}

export async function runs(kernel: Kernel, count: number, tenant = "default"): Promise<string[]> {
  const pids: string[] = [];
  for (let n = 0; n < count; n++) {
    const pid = await kernel.spawn({
      agent: "quick",
      input: n,
      tenant,
      capabilities: ["memory:/mem/working/**:read,write"],
    });
    await kernel.wait(pid);
    pids.push(pid);
  }
  return pids;
}
