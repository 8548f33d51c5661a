// ProjectHistory: the projects whose policies bind a process. A process outlives its daemon, and its policy must be in
// force before it continues, so they are stored in the home.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { SysError } from "@aos/protocol";
import type { Home } from "../home.ts";

export interface ProjectHistory {
  readonly folders: readonly string[];
  see(folder: string): void;
}

export function openSeenProjects(home: Home): ProjectHistory {
  const folders = readSeen(home.seenProjects);
  return {
    folders,
    see(folder) {
      if (folders.includes(folder)) return;
      folders.push(folder);
      writeFileSync(`${home.seenProjects}.new`, JSON.stringify(folders), { mode: 0o600 });
      renameSync(`${home.seenProjects}.new`, home.seenProjects);
    },
  };
}

function readSeen(file: string): string[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(read) && read.every((folder) => typeof folder === "string")) return read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
  }
  throw new SysError("EINVAL", `${file} is not a list of folders`, {
    hint: "remove it: processes of projects are denied until an agent is started there again",
  });
}
