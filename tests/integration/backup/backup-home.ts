// A home of a test's own with a kernel on it, as a daemon would have it; and what becomes of it by a backup.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createKernel } from "@aos/daemon";
import { homeOf, restore, writeBackup, writeBundle, type Home } from "@aos/daemon/parts";
import { SCHEMA_VERSION, type Kernel, type RunSelection } from "@aos/kernel";
import type { ManifestText } from "@aos/protocol";
import { onTestFinished } from "vitest";

export const PASSPHRASE = "correct horse battery";
const HELLO = fileURLToPath(new URL("../../../examples/hello", import.meta.url));
const hello: ManifestText = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "hello",
  model: "scripted/hello",
  tools: ["echo"],
  capabilities: ["model:scripted/hello:infer", "tool:echo:call"],
};

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

export async function kernelOn(home: Home, options: object = {}): Promise<Kernel> {
  const kernel = await createKernel({
    store: { file: home.database },
    auditFolder: home.audit,
    keyFile: home.key,
    secretKeyFile: home.secretKey,
    scriptFolders: [HELLO],
    ...options,
  });
  onTestFinished(() => kernel.close());
  return kernel;
}

export const greet = (kernel: Kernel, input: string) => kernel.spawn({ manifest: hello, input });

/** A home with some runs in it. */
export async function usedHome(runs = 2): Promise<{ home: Home; kernel: Kernel; pids: string[] }> {
  const home = homeOf({ AOS_HOME: newFolder() });
  const kernel = await kernelOn(home);
  const pids: string[] = [];
  for (let n = 0; n < runs; n++) {
    const pid = await greet(kernel, `hello ${n}`);
    await kernel.wait(pid);
    pids.push(pid);
  }
  return { home, kernel, pids };
}

export const backUpTo = (kernel: Kernel, home: Home, file: string) =>
  writeBackup(kernel, home, { file, passphrase: PASSPHRASE, schema: SCHEMA_VERSION });

export const restoreTo = (folder: string, file: string, more: object = {}) =>
  restore(homeOf({ AOS_HOME: folder }), { file, passphrase: PASSPHRASE, ...more }, {}, () => {});

export const exportTo = (kernel: Kernel, home: Home, file: string, wanted: RunSelection) =>
  writeBundle(kernel, home, { file, wanted, schema: SCHEMA_VERSION });
