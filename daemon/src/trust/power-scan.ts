// Power scan: everything in a project folder that has power: `.agents`, AGENTS.md, and the files that its commands
// name. What is shown of a folder, trusted and used are the entries and bytes of one scan.
//
//   const scan = scanFolder("/p");    scan.digest, scan.files.get(".agents/mcp.yaml")
//
// POWER-SCAN-1  The digest covers path, kind, link target, executable bit and bytes of every entry, in
//     the order of the paths. Nothing of `.agents` is left out of it.
// POWER-SCAN-2  An entry whose name is not text, that leads out of the folder, is no file or folder, or exceeds a limit
//     makes the folder untrustable; the scan says why.
// POWER-SCAN-3  Nested `.agents` and nested repositories are separate projects.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isWithinFolder, statIfThere, powerLimits, loadPowerEntry, realOf } from "./power-entry.ts";
import { sha256, UntrustableFile, type PowerEntry } from "./power-entry.ts";
import { referencedFiles } from "./referenced-files.ts";

export const OURS = ".agents";
export const INSTRUCTIONS = "AGENTS.md";

const MOST_ENTRIES = 5000;
const MAX_DEPTH = 32;

export interface PowerScan {
  readonly folder: string;
  /** In the order of their paths. */
  readonly entries: readonly PowerEntry[];
  readonly digest: string;
  /** Bytes of the files, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Why it cannot be trusted as it is. */
  readonly problems: readonly string[];
  /** Files that commands name, there or not. */
  readonly named: readonly string[];
}

export function scanFolder(folder: string): PowerScan {
  const entries: PowerEntry[] = [];
  const files = new Map<string, Buffer>();
  const problems: string[] = [];
  let size = 0;
  const take = (path: string): void => {
    try {
      const { entry, bytes } = loadPowerEntry(folder, path);
      entries.push(entry);
      size += bytes?.length ?? 0;
      if (size > powerLimits.allBytes)
        throw new UntrustableFile(`more than ${powerLimits.allBytes} bytes`);
      if (bytes !== undefined) files.set(path, bytes);
    } catch (error) {
      problems.push(sayProblem(path, error));
    }
  };
  const listed = pathsOf(folder);
  problems.push(...listed.problems);
  for (const path of listed.paths) take(path);
  const named = referencedFiles(folder, files);
  for (const path of named) takeNamed(folder, path, take, problems);
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  return { folder, entries, digest: digestOf(entries), files, problems, named };
}

/** POWER-SCAN-1. */
const digestOf = (entries: readonly PowerEntry[]): string =>
  sha256(
    entries
      .map(({ path, kind, isExecutable, hash, target }) =>
        JSON.stringify([path, kind, isExecutable, target ?? null, hash]),
      )
      .join("\n"),
  );

/** A word of a command may be anything: only what is a file of the project counts. */
function takeNamed(
  folder: string,
  path: string,
  take: (path: string) => void,
  problems: string[],
): void {
  const full = join(folder, path);
  const real = realOf(full);
  if (real === undefined) return;
  if (!isWithinFolder(real, folder))
    problems.push(`${path}, which a command names, leads out of it`);
  else if (statIfThere(real)?.isDirectory() === false) {
    take(path);
    if (real !== full) take(real.slice(folder.length + 1));
  }
}

/** POWER-SCAN-2. Also told by: names, sizes and times of everything, to see cheaply that nothing changed. */
export function fingerprintOf({ folder, named }: Pick<PowerScan, "folder" | "named">): string {
  const { paths, problems } = pathsOf(folder);
  const marks = [...paths, ...named].map((path) => {
    const found = statIfThere(join(folder, path));
    if (found === undefined) return `${path}\0absent`;
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = found;
    return [path, dev, ino, mode, size, mtimeNs, ctimeNs].join("\0");
  });
  return [...marks, ...problems].join("\n");
}

function pathsOf(folder: string): { paths: string[]; problems: string[] } {
  const paths: string[] = [];
  const problems: string[] = [];
  if (statIfThere(join(folder, INSTRUCTIONS)) !== undefined)
    takeInstructions(folder, paths, problems);
  const top = statIfThere(join(folder, OURS));
  if (top === undefined) return { paths, problems };
  if (!top.isDirectory()) return { paths, problems: [`${OURS} is a link, or no folder`] };
  paths.push(OURS);
  try {
    walk(folder, OURS, 1, paths);
  } catch (error) {
    problems.push(sayProblem(OURS, error));
  }
  return { paths, problems };
}

/** Often a link to the instructions of another agent. */
function takeInstructions(folder: string, paths: string[], problems: string[]): void {
  const real = realOf(join(folder, INSTRUCTIONS));
  if (real === undefined || !isWithinFolder(real, folder))
    problems.push(`${INSTRUCTIONS} is a link that leads out of the project`);
  else paths.push(...new Set([INSTRUCTIONS, real.slice(folder.length + 1)]));
}

function walk(folder: string, below: string, depth: number, paths: string[]): void {
  if (depth > MAX_DEPTH)
    throw new UntrustableFile(`${below} is more than ${MAX_DEPTH} folders deep`);
  const entries = readdirSync(Buffer.from(join(folder, below)), {
    withFileTypes: true,
    encoding: "buffer",
  });
  const named = entries.map((entry) => ({ entry, name: entry.name.toString("utf8") }));
  for (const { entry, name } of named.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!Buffer.from(name).equals(entry.name))
      throw new UntrustableFile(`a name in ${below} is not text`);
    const path = `${below}/${name}`;
    if (paths.push(path) > MOST_ENTRIES)
      throw new UntrustableFile(`it has more than ${MOST_ENTRIES} files and folders`);
    if (entry.isDirectory()) walk(folder, path, depth + 1, paths);
  }
}

function sayProblem(path: string, error: unknown): string {
  if (error instanceof UntrustableFile) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return `${path} cannot be read (${code})`;
}
