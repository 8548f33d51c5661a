// SkillRegistry: the skills of a scope: of the project, of the user, of the system.
//
// SKILL-REGISTRY-1  On a name clash the nearer skill wins: project, user, system. A skill with problems is not offered
//     and still hides the others of its name: a process never gets another skill than the one it named.
// SKILL-REGISTRY-2  A project's skills are those that were trusted with its folder, read from the trusted copy.
//     Skills of an untrusted folder are not offered and hide no other.

import { readdirSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  SysError,
  type SkillFile,
  type SkillProvider,
  type ToolScope,
  type TrustLookup,
} from "@aos/protocol";
import {
  instructionProblems,
  instructionsFor,
  projectOfAgents,
  type TextTrust,
} from "./instructions.ts";
import { ENTRY, inspectSkill, readSkillFile, type SkillFolder } from "./skill-folder.ts";

/** Those that come with the system. */
export const SYSTEM_SKILLS = fileURLToPath(new URL("../../skills", import.meta.url));

/** Those after it in the order of their names are not there. */
const MOST_IN_A_PLACE = 1000;

export interface FoundSkill extends SkillFolder {
  readonly source: "project" | "user" | "system";
  /** As it was asked for: a project may be known by a link. */
  readonly asked: string;
  /** Where it is without links; `folder` is where it is read from. */
  readonly at: string;
}

export interface SkillRegistry extends SkillProvider {
  /** All, with those that are not offered. */
  all(scope: ToolScope): Promise<readonly FoundSkill[]>;
  /** Why instructions that are there were not read. */
  instructionProblems(scope: ToolScope): Promise<readonly string[]>;
}

interface Place {
  readonly source: FoundSkill["source"];
  readonly folder: string;
  /** What it must not lead out of. */
  readonly within?: string;
  /** What people call it, where it is read from a copy. */
  readonly at?: string;
}

export interface SkillOptions {
  readonly user: string;
  readonly system?: string;
  readonly trusted: TrustLookup;
  readonly trustsText: TextTrust;
}

export function createSkillRegistry(options: SkillOptions): SkillRegistry {
  const { trusted, trustsText } = options;
  const shared: readonly Place[] = [
    { source: "user", folder: options.user },
    { source: "system", folder: options.system ?? SYSTEM_SKILLS },
  ];
  /** SKILL-REGISTRY-2. */
  const placesOf = ({ folders, tenant }: ToolScope): readonly Place[] => [
    ...folders.map(projectOfAgents).flatMap((project) => {
      const copy = trusted(project, tenant)?.copy;
      if (copy === undefined) return [];
      const source = "project" as const;
      return [{ source, folder: join(copy, OURS), within: copy, at: join(project, OURS) }];
    }),
    ...shared,
  ];
  const strangers = ({ folders, tenant }: ToolScope): FoundSkill[] =>
    folders.map(projectOfAgents).flatMap((project) => {
      if (trusted(project, tenant) !== undefined) return [];
      return skillNamesIn(join(project, OURS)).map((name): FoundSkill => {
        const folder = join(project, OURS, name);
        const problems = [`${project} is not trusted: aos trust ${project}`];
        return {
          name,
          folder,
          asked: folder,
          at: folder,
          source: "project",
          skill: undefined,
          files: [],
          problems,
        };
      });
    });
  const all = async (scope: ToolScope): Promise<FoundSkill[]> => {
    const byName = new Map<string, FoundSkill>();
    for (const place of placesOf(scope))
      for (const found of await skillsIn(place))
        if (!byName.has(found.name)) byName.set(found.name, found); // SKILL-REGISTRY-1
    for (const found of strangers(scope))
      if (!byName.has(found.name)) byName.set(found.name, found);
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
    instructions: (scope) => instructionsFor(scope, trustsText),
    instructionProblems: (scope) => instructionProblems(scope, trustsText),
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

const OURS = join(".agents", "skills");

const placesOfFile = ({ at, asked }: Pick<FoundSkill, "at" | "asked">, path: string): string[] => [
  ...new Set([join(at, path), join(asked, path)]),
];

function skillNamesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .slice(0, MOST_IN_A_PLACE);
  } catch {
    return [];
  }
}

async function skillsIn(place: Place): Promise<FoundSkill[]> {
  const found: FoundSkill[] = [];
  for (const name of await namesIn(place)) {
    const one = await foundIn(place, name);
    if (one !== undefined) found.push(one);
  }
  return found;
}

async function foundIn(
  { source, folder, at: named = folder }: Place,
  name: string,
): Promise<FoundSkill | undefined> {
  const asked = join(named, name);
  try {
    const found = await inspectSkill(folder, name);
    const at = named === folder ? found.folder : join(await realOr(named), name);
    return { ...found, source, asked, at };
  } catch (error) {
    if (isAbsent(error)) return undefined; // it went away meanwhile
    const problems = [`it cannot be read: ${(error as NodeJS.ErrnoException).code}`];
    return { name, folder: asked, at: asked, asked, source, skill: undefined, files: [], problems };
  }
}

const realOr = (path: string): Promise<string> => realpath(path).catch(() => path);

/** The folders there, and links, which are said to be a problem; other files are none of ours. */
async function namesIn({ source, folder, within }: Place): Promise<string[]> {
  try {
    if (within !== undefined && !(await leadsInto(within, folder))) return []; // SKILL-REGISTRY-2
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
