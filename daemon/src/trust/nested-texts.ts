// Nested texts: the AGENTS.md files below a folder that is being trusted, each by its digest. One that
// changes, or comes later, is not trusted; the folder itself stays so.
//
// NESTED-TEXTS-1  No link is followed. What other repositories brought along (`.git` in a folder below,
//     node_modules) is not taken: it is not the project's.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { statIfThere, loadPowerEntry, sha256, UntrustableFile } from "./power-entry.ts";
import { INSTRUCTIONS, OURS, type PowerScan } from "./power-scan.ts";

const MOST_FOLDERS = 20_000;
const MAX_DEPTH = 16;

export function findTexts({ folder, files, entries }: PowerScan): Record<string, string> {
  const texts: Record<string, string> = {};
  const own = files.get(INSTRUCTIONS) ?? files.get(linked(entries) ?? "");
  if (own !== undefined) texts[INSTRUCTIONS] = sha256(own);
  let left = MOST_FOLDERS;
  const walk = (below: string, depth: number): void => {
    if (depth > MAX_DEPTH || (left -= 1) < 0) return;
    for (const entry of namesIn(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isFile() && entry.name === INSTRUCTIONS && below !== "") take(folder, path, texts);
      if (entry.isDirectory() && isOwn(folder, path, entry.name)) walk(path, depth + 1);
    }
  };
  walk("", 0);
  return texts;
}

const linked = (entries: PowerScan["entries"]): string | undefined =>
  entries.find(({ path, kind }) => path === INSTRUCTIONS && kind === "link")?.target;

/** NESTED-TEXTS-1. */
const isOwn = (folder: string, path: string, name: string): boolean =>
  name !== "node_modules" &&
  name !== ".git" &&
  name !== OURS &&
  statIfThere(join(folder, path, ".git")) === undefined;

function namesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // What cannot be looked into has nothing that could be told.
  }
}

function take(folder: string, path: string, texts: Record<string, string>): void {
  try {
    const { bytes } = loadPowerEntry(folder, path);
    if (bytes !== undefined) texts[path] = sha256(bytes);
  } catch (error) {
    if (!(error instanceof UntrustableFile)) throw error;
  }
}
