// Draft folder: skills that were drafted and not approved. It is no place of skills: no agent is offered what is here.
//
//   await drafts.put("deploy-the-shop", text)
//   await drafts.approve("deploy-the-shop", skills)     the folder moves to the skills of the user
//
// DRAFT-FOLDER-1  A draft becomes a skill by one rename, of a folder that was checked like any skill.
// DRAFT-FOLDER-2  A draft takes the place of no skill and of no other draft.

import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SysError } from "@aos/protocol";
import { ENTRY, inspectSkill, readSkillFile, type SkillFolder } from "./skill-folder.ts";

export interface SkillDraft extends SkillFolder {
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: string;
}

export class DraftFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async all(): Promise<SkillDraft[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const drafts: SkillDraft[] = [];
    for (const name of names.filter((one) => !one.startsWith(".")).toSorted()) {
      const draft = await this.#read(name);
      if (draft !== undefined) drafts.push(draft);
    }
    return drafts;
  }

  async one(name: string): Promise<SkillDraft> {
    const draft = isName(name) ? await this.#read(name) : undefined;
    if (draft !== undefined) return draft;
    throw new SysError("ENOENT", `there is no draft ${name}`, {
      hint: "`aos skill drafts` lists them; `aos skill draft PID` makes one",
    });
  }

  async #read(name: string): Promise<SkillDraft | undefined> {
    try {
      const found = await inspectSkill(this.#folder, name);
      const text = await readSkillFile(found.folder, ENTRY);
      return { ...found, text, digest: createHash("sha256").update(text).digest("hex") };
    } catch {
      return undefined; // it went away meanwhile, or is none
    }
  }

  /** DRAFT-FOLDER-2. Whole, or not at all. */
  async put(name: string, text: string): Promise<SkillDraft> {
    if (!isName(name)) throw new SysError("EINVAL", `${name} is not a name of a skill`, NAMES);
    const made = join(this.#folder, `.${randomUUID()}`);
    await mkdir(made, { recursive: true, mode: 0o700 });
    try {
      await writeFile(join(made, ENTRY), text, { mode: 0o600, flush: true });
      await renameNew(made, join(this.#folder, name), `there is a draft ${name} already`);
    } finally {
      await rm(made, { recursive: true, force: true });
    }
    return this.one(name);
  }

  /** DRAFT-FOLDER-1, DRAFT-FOLDER-2. */
  async approve({ name, folder, problems }: SkillDraft, skills: string): Promise<string> {
    if (problems.length > 0)
      throw new SysError("EINVAL", `${name} is no skill yet: ${problems.join("; ")}`);
    await mkdir(skills, { recursive: true });
    const to = join(skills, name);
    await renameNew(folder, to, `there is a skill ${name} already`);
    return to;
  }

  async reject({ folder }: SkillDraft): Promise<void> {
    const gone = join(this.#folder, `.${randomUUID()}`);
    await rename(folder, gone);
    await rm(gone, { recursive: true, force: true });
  }
}

const NAMES = { hint: "a-z, 0-9 and single hyphens between them, at most 64 characters" };

const isName = (name: string): boolean =>
  name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);

/** A folder that has something in it is not replaced by a rename. */
async function renameNew(from: string, to: string, taken: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? ""))
      throw error;
    throw new SysError("EEXIST", taken, { hint: "--name gives another name" });
  }
}
