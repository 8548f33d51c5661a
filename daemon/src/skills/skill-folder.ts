// Skill folder: one skill on the disk.
//
//   inspectSkill("/p/.agents/skills", "review-change")     all of it but the text of its files
//   readSkillFile(folder, "references/checks.md")          one of them
//
// SKILL-FOLDER-1  Nothing outside the folder is read: the target of a link is checked once it is open, and a file
//     with a second hard link, a device or a pipe is not a file of a skill.
// SKILL-FOLDER-2  Number, size and depth of its files are limited. Beyond that the whole skill has a problem.

import { lstat, readdir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { withFile } from "@aos/drivers";
import { SysError } from "@aos/protocol";
import { readSkillText, type ParsedSkill } from "./skill-text.ts";

export const ENTRY = "SKILL.md";

export const skillLimits = {
  entryBytes: 64 * 1024,
  fileBytes: 1024 * 1024,
  /** Folders and links count too. */
  files: 200,
  allBytes: 16 * 1024 * 1024,
  depth: 6,
} as const;

export interface SkillFolder {
  readonly name: string;
  /** Without links. */
  readonly folder: string;
  /** Undefined where there are problems. */
  readonly skill: ParsedSkill | undefined;
  /** SKILL.md first. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly problems: readonly string[];
}

/** The folder `name` of a place where skills are. */
export async function inspectSkill(place: string, name: string): Promise<SkillFolder> {
  const folder = join(await realpath(place), name);
  const { files, problems } = await walk(folder);
  const { skill, problems: flaws } = await readEntry(folder, name);
  const all = [...flaws, ...problems];
  return { name, folder, skill: all.length === 0 ? skill : undefined, files, problems: all };
}

async function readEntry(folder: string, name: string) {
  try {
    return readSkillText(await readSkillFile(folder, ENTRY, skillLimits.entryBytes), name);
  } catch (error) {
    return { skill: undefined, problems: [`${ENTRY}: ${sayError(error)}`] };
  }
}

/** SKILL-FOLDER-1. Throws ENOENT for what is not there, EINVAL for what is no text or too large, EACCES for what is elsewhere. */
export async function readSkillFile(
  folder: string,
  path: string,
  mostBytes: number = skillLimits.fileBytes,
): Promise<string> {
  const gate = {
    authorize: ({ resource }: { readonly resource: string }) => {
      if (!isInside(folder, resource))
        throw new SysError("EACCES", `${path} leads out of the skill`);
    },
  };
  try {
    return await withFile(join(folder, path), "read", gate, async (file) => {
      const { size } = await file.stat();
      if (size > mostBytes)
        throw new SysError("EINVAL", `${path} has ${size} bytes; the limit is ${mostBytes}`);
      return asText(await file.readFile(), path);
    });
  } catch (error) {
    // Whoever reads a skill need not know where on the machine it is.
    if (error instanceof SysError)
      throw new SysError(error.code, error.message.replaceAll(`${folder}/`, ""));
    throw error;
  }
}

const isInside = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);

function asText(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SysError("EINVAL", `${path} is not text`);
  }
}

/** SKILL-FOLDER-2. Folders that are links are not walked. */
async function walk(folder: string) {
  const files: { path: string; bytes: number }[] = [];
  const problems: string[] = [];
  const looked = await lstat(folder);
  if (!looked.isDirectory()) return { files, problems: ["it is a link, or not a folder"] };

  let seen = 0;
  const look = async (at: string, depth: number): Promise<void> => {
    for (const entry of (await readdir(at, { withFileTypes: true })).toSorted(byName)) {
      if (++seen > skillLimits.files) return;
      const full = join(at, entry.name);
      const path = relative(folder, full);
      if (entry.isDirectory() && depth === skillLimits.depth) problems.push(`${path} is too deep`);
      else if (entry.isDirectory()) await look(full, depth + 1);
      else if (entry.isSymbolicLink()) problems.push(...(await linkProblems(folder, full, path)));
      else if (entry.isFile()) files.push({ path, bytes: (await lstat(full)).size });
      else problems.push(`${path} is not a file`);
    }
  };
  await look(folder, 1);
  if (seen > skillLimits.files)
    problems.push(`the skill has more than ${skillLimits.files} files and folders`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > skillLimits.allBytes)
    problems.push(`the skill has ${bytes} bytes; the limit is ${skillLimits.allBytes}`);
  files.sort((one, other) => Number(other.path === ENTRY) - Number(one.path === ENTRY));
  return { files, problems };
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

async function linkProblems(folder: string, full: string, path: string): Promise<string[]> {
  try {
    return isInside(folder, await realpath(full)) ? [] : [`${path} leads out of the skill`];
  } catch {
    return [`${path} is a broken link`];
  }
}

const sayError = (error: unknown): string => {
  if (error instanceof SysError) return error.message;
  throw error;
};
