// A home with many processes, made through the kernel: most ended or asleep, and the oldest hundredth a second
// tenant's, which any list of the newest would have to read all others to find.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "../kernel/src/index.ts";
import type { ManifestText, Sys } from "../protocol/src/index.ts";

export interface HomeSize {
  readonly folder: string;
  readonly ended: number;
  readonly sleeping: number;
}

export const SECOND_TENANT = "acme";
const AT_ONCE = 200;

/** Of the usual size. */
export const workerManifest: ManifestText = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "worker",
  program: "sleeper",
  capabilities: [
    "file:/work/**:read,write",
    "http:*.example.com/**:get{rate:60/min}",
    "model:scripted/*:infer",
    "tool:file.*:call",
    "memory:/mem/shared/team/**:read,search",
  ],
  budget: { usd: 1, tokens: 200_000 },
};
const briefManifest: ManifestText = { ...workerManifest, name: "brief", program: "brief" };

const programs = {
  sleeper: async (sys: Sys) => (await sys.receive()).body,
  brief: async () => "done",
};

/** As a daemon has it: a signed log, sealed secrets. */
export const homeOptions = (folder: string): KernelOptions => ({
  store: { file: join(folder, "aos.db") },
  auditFolder: join(folder, "audit"),
  keyFile: join(folder, "audit.key"),
  secretKeyFile: join(folder, "secret.key"),
  retention: { maxRuns: Infinity, maxBytes: Infinity },
  programs,
  onTrouble: (what, error) => console.error(what, error),
});

export async function runManyHome({ folder, ended, sleeping }: HomeSize): Promise<null> {
  mkdirSync(join(folder, "audit"), { recursive: true, mode: 0o700 });
  const kernel = await bootKernel({ ...homeOptions(folder), unloadAfterMs: 0 });
  await kernel.addTenant(SECOND_TENANT, {}, "bench");
  const all = ended + sleeping;
  const spawn = (n: number) => {
    const isAsleep = Math.floor(((n + 1) * sleeping) / all) > Math.floor((n * sleeping) / all);
    const tenant = n < all / 100 ? { tenant: SECOND_TENANT } : {};
    return kernel.spawn({ manifest: isAsleep ? workerManifest : briefManifest, ...tenant });
  };
  for (let from = 0; from < all; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, all - from) }, (_, i) => spawn(from + i)),
    );
  await allUnloaded(kernel);
  await kernel.close();
  return null;
}

/** Resolves when none of them is in memory any more. */
export async function allUnloaded(kernel: Kernel): Promise<void> {
  while ((await kernel.status()).loaded > 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
}
