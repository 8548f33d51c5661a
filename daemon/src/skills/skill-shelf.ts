// Skill shelf: the skills that there are for somebody: of the project, of the user, of the system.
//
// H1  Of two with one name the nearer counts: project, user, system. One with problems is offered to
//     nobody, and what it hides stays hidden: nobody gets another skill than the one that he named.
// H2  A project's skills are in its own folder: `.agents/skills` that leads out of it is none.

import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SysError, type SkillFile, type SkillShelf, type ToolScope } from "@aos/protocol";
import { instructionsFor } from "./instructions.ts";
import { projectOf } from "./project-of.ts";
import { ENTRY, inspectSkill, readSkillFile, type SkillFolder } from "./skill-folder.ts";

/** Those that come with the system. */
export const SYSTEM_SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));

/** Those after it in the order of their names are not there. */
const MOST_IN_A_PLACE = 1000;

export interface FoundSkill extends SkillFolder {
  readonly source: "project" | "user" | "system";
  /** As it was asked for: a project may be known by a link. */
  readonly asked: string;
}

export interface Skills extends SkillShelf {
  /** All, with those that are not offered. */
  all(scope: ToolScope): Promise<readonly FoundSkill[]>;
}

interface Place {
  readonly source: FoundSkill["source"];
  readonly folder: string;
  /** What it must not lead out of. */
  readonly within?: string;
}

export function createSkills(options: { user: string; system?: string }): Skills {
  const shared: readonly Place[] = [
    { source: "user", folder: options.user },
    { source: "system", folder: options.system ?? SYSTEM_SKILLS },
  ];
  const placesOf = ({ folders }: ToolScope): readonly Place[] => [
    ...folders.map(projectOf).map((project) => ({
      source: "project" as const,
      folder: join(project, ".agents", "skills"),
      within: project,
    })),
    ...shared,
  ];
  const all = async (scope: ToolScope): Promise<FoundSkill[]> => {
    const byName = new Map<string, FoundSkill>();
    for (const place of placesOf(scope))
      for (const found of await skillsIn(place))
        if (!byName.has(found.name)) byName.set(found.name, found); // H1
    return [...byName.values()];
  };
  const find = async (scope: ToolScope, name: string) => {
    for (const place of placesOf(scope)) {
      if (!(await namesIn(place)).includes(name)) continue;
      const found = await foundIn(place, name);
      return found?.skill === undefined ? undefined : { ...found, skill: found.skill };
    }
    return undefined;
  };
  return {
    all,
    async cards(scope) {
      return (await all(scope)).flatMap(({ name, skill, ...found }) =>
        skill === undefined
          ? []
          : [{ name, description: skill.description, places: placesOfFile(found, ENTRY) }],
      );
    },
    instructions: instructionsFor,
    async files(scope, name) {
      return (await find(scope, name))?.files.map(({ path }) => path);
    },
    async read(scope, name, path) {
      const found = await find(scope, name);
      if (found === undefined) return undefined;
      const text = await textOf(found.folder, path);
      if (text === undefined) return undefined;
      const { allowedTools } = found.skill;
      const file: SkillFile = { text, places: placesOfFile(found, path) };
      return path === ENTRY && allowedTools !== undefined ? { ...file, allowedTools } : file;
    },
  };
}

const placesOfFile = (
  { folder, asked }: Pick<FoundSkill, "folder" | "asked">,
  path: string,
): string[] => [...new Set([join(folder, path), join(asked, path)])];

async function skillsIn(place: Place): Promise<FoundSkill[]> {
  const found: FoundSkill[] = [];
  for (const name of await namesIn(place)) {
    const one = await foundIn(place, name);
    if (one !== undefined) found.push(one);
  }
  return found;
}

async function foundIn({ source, folder }: Place, name: string): Promise<FoundSkill | undefined> {
  try {
    return { ...(await inspectSkill(folder, name)), source, asked: join(folder, name) };
  } catch (error) {
    if (isAbsent(error)) return undefined; // it went away meanwhile
    const problems = [`it cannot be read: ${(error as NodeJS.ErrnoException).code}`];
    const asked = join(folder, name);
    return { name, folder: asked, asked, source, skill: undefined, files: [], problems };
  }
}

/** The folders there, and links, which are said to be a problem; other files are none of ours. */
async function namesIn({ source, folder, within }: Place): Promise<string[]> {
  try {
    if (within !== undefined && !(await leadsInto(within, folder))) return []; // H2
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("."))
      .toSorted()
      .slice(0, MOST_IN_A_PLACE);
  } catch (error) {
    if (isAbsent(error)) return [];
    const { code } = error as NodeJS.ErrnoException;
    throw new SysError("EUPSTREAM", `the skills of the ${source} cannot be read: ${code}`);
  }
}

async function leadsInto(project: string, folder: string): Promise<boolean> {
  return (await realpath(folder)).startsWith(`${await realpath(project)}/`);
}

const isAbsent = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Undefined for what is not there. */
async function textOf(folder: string, path: string): Promise<string | undefined> {
  try {
    return await readSkillFile(folder, path);
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return undefined;
    throw error;
  }
}
