// A project for tests: a folder with `.agents/tools`, gone after the test.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export interface ProjectForTest {
  readonly folder: string;
  /** Writes a file below `.agents/tools`; where it is. */
  readonly write: (name: string, text: string) => string;
}

export function projectForTest(files: Readonly<Record<string, string>> = {}): ProjectForTest {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-project-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const path = join(folder, ".agents", "tools", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write };
}
