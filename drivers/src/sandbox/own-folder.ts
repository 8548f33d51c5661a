// Own folder: the folder for files that a sandbox gives its runs: filters, the artificial /etc, an empty file. It is
// marked with its owner, and the next daemon removes it if this one is killed.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markOf, type DaemonMark } from "./owner.ts";

/** Where such folders are: for root where only root writes. */
export function ownFolders(): string {
  const isRoot = process.getuid?.() === 0;
  const candidates = [isRoot ? "/run" : process.env["XDG_RUNTIME_DIR"], tmpdir()];
  return candidates.find((path) => path !== undefined && isFolder(path)) ?? tmpdir();
}

export class OwnFolder {
  readonly path: string;

  constructor(owner: DaemonMark, at: string = ownFolders()) {
    this.path = mkdtempSync(join(at, `${markOf(owner)}-`));
  }

  join(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
