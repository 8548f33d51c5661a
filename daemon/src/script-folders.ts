// ScriptFolders: where scripted models find their scripts: the folders of agents that were run, the latest first,
// then the home's, then recordings.
//
// The folders are stored in the home, since a process outlives its daemon. Drivers hold one array that changes in
// place.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./home.ts";

const MOST_FOLDERS = 100;

export interface ScriptFolders {
  readonly folders: readonly string[];
  /** Looked in first from now on. */
  see(folder: string): void;
}

export function openScriptFolders(home: Home): ScriptFolders {
  let seen = readSeen(home);
  const homes = [home.scripts, home.recordings];
  const folders = [...seen.flatMap(scriptPlaces), ...homes];
  return {
    folders,
    see(folder) {
      if (seen[0] === folder) return;
      seen = [folder, ...seen.filter((other) => other !== folder)].slice(0, MOST_FOLDERS);
      folders.splice(0, folders.length, ...seen.flatMap(scriptPlaces), ...homes);
      writeFileSync(`${home.seenFolders}.new`, JSON.stringify(seen), { mode: 0o600 });
      renameSync(`${home.seenFolders}.new`, home.seenFolders);
    },
  };
}

const scriptPlaces = (folder: string): string[] => [folder, join(folder, "scripts")];

function readSeen(home: Home): string[] {
  try {
    const read: unknown = JSON.parse(readFileSync(home.seenFolders, "utf8"));
    return Array.isArray(read) ? read.filter((folder) => typeof folder === "string") : [];
  } catch {
    return [];
  }
}
