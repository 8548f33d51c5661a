// Compiles the probes: system calls that no script can make.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

export const hasCompiler = existsSync("/usr/bin/gcc");

/** The folder with `probe` in it, which a run sees where it is. */
export function useProbes(): () => string {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "aos-probe-"));
    chmodSync(folder, 0o755);
    const words = ["-O1", "-o", join(folder, "probe"), join(import.meta.dirname, "probe.c")];
    if (hasCompiler) execFileSync("/usr/bin/gcc", words, { stdio: "inherit" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return () => folder;
}
