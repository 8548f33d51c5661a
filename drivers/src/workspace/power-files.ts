// Power files: project files that programs of the user obey automatically. An agent that writes one acts later,
// outside the sandbox, with the user's rights.
//
// POWER-FILES-1  Names are compared without case, invisible characters, and trailing dots and spaces, as the most
//     permissive volume would.
// POWER-FILES-2  Of git's own files, objects, references and the index are allowed.

import { powerInGitConfig } from "./git-config.ts";

interface PowerRow {
  /** In a path that is folded (POWER-FILES-1) and has a slash at both ends. */
  readonly pattern: RegExp;
  readonly why: string;
  /** Only files and links of that name. */
  readonly notFolders?: boolean;
}

const rows: readonly PowerRow[] = [
  { pattern: /\/\.aos[^/]*\//, why: "Agent OS itself reads it" },
  { pattern: /\/\.agents\//, why: "Agent OS reads agents, tools and policy from it" },
  {
    pattern: /\/\.(claude|codex|cursor|gemini|continue|windsurf)\/|\/\.mcp\.json\//,
    why: "other agents read tools and rules from it",
  },
  { pattern: /\/\.(vscode|idea|devcontainer)\//, why: "an editor may run its commands" },
  { pattern: /\/\.(envrc|husky)\//, why: "a shell or git runs it" },
  {
    pattern: /\/(agents|claude|gemini)\.md\/$|\/\.(cursorrules|windsurfrules)\/$/,
    why: "agents read it as instructions",
    notFolders: true,
  },
  {
    pattern: /\/(\.git|git~1)\/$/,
    why: "it says where git's own files are",
    notFolders: true,
  },
];

/** In the part of a path that is inside a repository's own folder; no slash at either end. */
const gitRows: readonly PowerRow[] = [
  { pattern: /(^|\/)hooks\//, why: "git runs hooks" },
  { pattern: /(^|\/)hooks$/, why: "git runs hooks", notFolders: true },
  { pattern: /(^|\/)(commondir|gitdir)$/, why: "it says where git's own files are" },
  {
    pattern: /(^|\/)(rebase-merge|rebase-apply|sequencer)(\/|$)/,
    why: "git runs the steps of an unfinished rebase",
  },
  { pattern: /(^|\/)objects\/info\/alternates$/, why: "it says where git reads objects" },
];
const GIT_CONFIG = /(^|\/)config(\.worktree)?$/;
const IN_GIT = /\/(?:\.git|git~1)\/(.+)\/$/;
/** Git writes these into every new repository, and does not run them. */
const SAMPLE_HOOK = /(^|\/)hooks\/[a-z-]+\.sample$/;

export interface PowerQuestion {
  readonly path: string;
  readonly isFolder: boolean;
  /** Of a link: what it will lead to. */
  readonly target?: string;
  /** Whether git would take this folder for a repository although it is not called `.git`. */
  readonly isRepository: (folder: string) => Promise<boolean>;
  /** Its text before and after; asked for only where it matters. Undefined: it is no short text. */
  readonly texts: () => Promise<readonly [before: string, after: string] | undefined>;
}

/** Why the file would give power; undefined when it would not. */
export async function powerOf(question: PowerQuestion): Promise<string | undefined> {
  const { path, isFolder, target } = question;
  const parts = path.split("/").map(foldName);
  const applies = (text: string) => (row: PowerRow) =>
    row.pattern.test(text) && !(isFolder && row.notFolders === true);
  const named = rows.find(applies(`/${parts.join("/")}/`));
  if (named !== undefined) return named.why;
  if (target !== undefined && leadsOut(path, target)) return "it leads out of the project";

  const inGit = IN_GIT.exec(`/${parts.join("/")}/`)?.[1] ?? (await inUnnamed(question, parts));
  if (inGit === undefined || SAMPLE_HOOK.test(inGit)) return undefined;
  const row = gitRows.find(applies(inGit));
  if (row !== undefined) return row.why;
  if (isFolder || !GIT_CONFIG.test(inGit)) return undefined;
  const texts = await question.texts();
  if (texts === undefined) return "git obeys it, and it is not a short text";
  const settings = powerInGitConfig(...texts);
  return settings === undefined ? undefined : `git obeys it: ${settings.join(", ")}`;
}

/** The part of a path that is inside of a repository that goes by another name than `.git`. */
async function inUnnamed(
  { path, isRepository }: PowerQuestion,
  folded: readonly string[],
): Promise<string | undefined> {
  const parts = path.split("/");
  for (const at of parts.keys()) {
    const rest = folded.slice(at).join("/");
    const matters = GIT_CONFIG.test(rest) || gitRows.some(({ pattern }) => pattern.test(rest));
    if (matters && (await isRepository(parts.slice(0, at).join("/")))) return rest;
  }
  return undefined;
}

/** By its letters. One that leads to another link is judged with that one. */
function leadsOut(path: string, target: string): boolean {
  if (target.startsWith("/")) return true;
  const way = path.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") way.push(part);
    else if (way.pop() === undefined) return true;
  }
  return false;
}

/** Whether a file of this name, wherever it stands, says by itself what programs of the user do. */
export function isPowerName(name: string, kind: "file" | "folder" | "link" | "other"): boolean {
  const text = `/${foldName(name)}/`;
  return rows.some(
    ({ pattern, notFolders }) => pattern.test(text) && !(notFolders === true && kind === "folder"),
  );
}

/** POWER-FILES-1. */
export const foldName = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
