// Instructions: the AGENTS.md files that hold for somebody: of the project that the agent is from, and of
// the folder that it works in.
//
// INSTRUCTIONS-1  From a folder up to the root of its repository, the one that has `.git`; without one
//     the folder alone.
// INSTRUCTIONS-2  The farthest comes first, so that the nearest has the last word. A file is told once.
// INSTRUCTIONS-3  They are short: one that is too long, and what is beyond all that is told, is named and
//     not read.
// INSTRUCTIONS-4  A file is in its folder: one that leads out of it is none.
// INSTRUCTIONS-5  What nobody trusted is not told: a line of ours says that it is there and how to trust
//     it.
//

import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type SkillFile, SysError, type ToolScope } from "@aos/protocol";
import { readSkillFile } from "./skill-folder.ts";

const ENTRY = "AGENTS.md";

export const instructionLimits = { fileBytes: 32 * 1024, allBytes: 64 * 1024, levels: 32 } as const;

/** Whether somebody trusts the text at a real path. */
export type TextTrust = (path: string, text: string, tenant: string) => boolean;

interface Found {
  /** What the agent is told; nothing where the file is not in its folder. */
  readonly told?: SkillFile;
  /** Why the file was not read, for people. */
  readonly problem?: string;
}

export async function instructionsFor(
  scope: ToolScope,
  trusts: TextTrust,
): Promise<readonly SkillFile[]> {
  const found = await findInstructions(scope, trusts);
  return shortened(found.flatMap(({ told }) => told ?? []));
}

/** One line for each AGENTS.md that is there and was not read. */
export async function instructionProblems(
  scope: ToolScope,
  trusts: TextTrust,
): Promise<readonly string[]> {
  return (await findInstructions(scope, trusts)).flatMap(({ problem }) => problem ?? []);
}

async function findInstructions(
  { folders, tenant }: ToolScope,
  trusts: TextTrust,
): Promise<readonly Found[]> {
  const found = new Map<string, Found>();
  for (const asked of folders.map(projectOfAgents))
    for (const folder of await levelsOf(asked)) {
      const file = found.has(folder)
        ? undefined
        : await fileIn(folder, asked, (text) => trusts(join(folder, ENTRY), text, tenant));
      if (file !== undefined) found.set(folder, file);
    }
  return [...found.values()];
}

/** INSTRUCTIONS-1, INSTRUCTIONS-2. Without links; nothing for what is not there. */
async function levelsOf(folder: string): Promise<readonly string[]> {
  const start = await realpath(folder).catch(() => undefined);
  if (start === undefined) return [];
  const levels: string[] = [];
  for (let at = start; levels.length < instructionLimits.levels; at = dirname(at)) {
    levels.unshift(at);
    if (exists(join(at, ".git"))) return levels;
    if (at === dirname(at)) break;
  }
  return [start];
}

/** At once: most are not there, and a promise for each costs many times the look itself. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

async function fileIn(
  folder: string,
  asked: string,
  trusts: (text: string) => boolean,
): Promise<Found | undefined> {
  const isItself = (await realpath(asked)) === folder;
  const places = [...new Set([folder, ...(isItself ? [asked] : [])])].map((at) => join(at, ENTRY));
  try {
    const text = await readSkillFile(folder, ENTRY, instructionLimits.fileBytes);
    if (text.trim() === "") return undefined;
    if (trusts(text)) return { told: { text, places } };
    const problem = `${ENTRY} of ${folder} is not trusted and was not read: aos trust ${folder}`;
    return { told: { text: notTrusted(folder), places: [] }, problem }; // INSTRUCTIONS-5
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    const problem = `${ENTRY} of ${folder} was not read: ${error.message}`;
    if (error.code === "EINVAL") return { told: { text: `(${error.message})`, places }, problem }; // INSTRUCTIONS-3
    return exists(join(folder, ENTRY)) ? { problem } : undefined; // INSTRUCTIONS-4
  }
}

/** INSTRUCTIONS-5. It is our word: nothing of the file is in it. */
const notTrusted = (folder: string): string =>
  `(${ENTRY} of ${folder} is not trusted, and was left out: aos trust ${folder})`;

/** INSTRUCTIONS-3. The nearest are kept. */
function shortened(files: readonly SkillFile[]): readonly SkillFile[] {
  let left: number = instructionLimits.allBytes;
  return files
    .toReversed()
    .map((file) => {
      left -= Buffer.byteLength(file.text);
      return left >= 0
        ? file
        : { ...file, text: `(${ENTRY} of a folder above is too long, and left out)` };
    })
    .toReversed();
}

/** The agents of a project are in its `.agents/agents`. */
export const projectOfAgents = (folder: string): string =>
  basename(folder) === "agents" && basename(dirname(folder)) === ".agents"
    ? dirname(dirname(folder))
    : folder;
