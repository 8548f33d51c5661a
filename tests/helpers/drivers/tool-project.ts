// A project for tests: a folder with `.agents/tools`, gone after the test.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TrustLookup } from "@aos/protocol";
import { onTestFinished } from "vitest";

export interface ProjectForTest {
  readonly folder: string;
  /** Writes a file below `.agents/tools`; where it is. */
  readonly write: (name: string, text: string) => string;
}

export function projectForTest(files: Readonly<Record<string, string>> = {}): ProjectForTest {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-project-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const write = (name: string, text: string): string => {
    const path = join(folder, ".agents", "tools", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write };
}

/** Every folder, as it is on the disk. */
export const trustedForTest: TrustLookup = (folder) => {
  const digest = createHash("sha256");
  const files = new Map<string, Buffer>();
  const below = readdirSync(join(folder, ".agents"), { recursive: true, withFileTypes: true });
  for (const entry of below.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    files.set(path.slice(folder.length + 1), bytes);
    digest.update(path).update(bytes);
  }
  return { folder, digest: digest.digest("hex"), copy: folder, files };
};
