// Spelling: on a volume that accepts `.ENV` for `.env`, another spelling would evade a rule about the file.
//
// SPELLING-1  Where a folder accepts several spellings, every segment must be spelled as the folder lists it.

import { lstat, readdir } from "node:fs/promises";

/** What a volume is asked; a fake one folds case on every platform. */
export interface Volume {
  /** Which file this is; undefined when there is none. */
  identity(path: string): Promise<string | undefined>;
  names(folder: string): Promise<readonly string[]>;
}

export const volumeOfMachine: Volume = {
  identity: async (path) => {
    try {
      const { dev, ino } = await lstat(path, { bigint: true });
      return `${dev}:${ino}`;
    } catch {
      return undefined;
    }
  },
  names: (folder) => readdir(folder),
};

/** Takes a path without links; `volume` is where it is. */
export async function isSpelledAsOnDisk(path: string, volume = volumeOfMachine): Promise<boolean> {
  const parts = path.slice(1).split("/");
  const folders = parts.map((_, at) => `/${parts.slice(0, at).join("/")}`);
  const spelled = await Promise.all(parts.map((part, at) => isListed(folders[at]!, part, volume)));
  return spelled.every(Boolean);
}

async function isListed(folder: string, name: string, volume: Volume): Promise<boolean> {
  const other = otherCase(name);
  if (other === name) return true;
  const inFolder = folder === "/" ? "" : folder;
  const found = await volume.identity(`${inFolder}/${other}`);
  if (found === undefined) return true;
  if (found !== (await volume.identity(`${inFolder}/${name}`))) return true;
  return (await volume.names(folder)).includes(name);
}

const otherCase = (name: string): string =>
  name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase();
