// Handlers of operations about skills.

import { basename, dirname } from "node:path";
import {
  DEFAULT_TENANT,
  nearest,
  SysError,
  type SkillDetail,
  type SkillReport,
  type skillOperations,
} from "@aos/protocol";
import { inspectSkill, type SkillFolder } from "../../skills/skill-folder.ts";
import type { HandlersOf } from "./handler.ts";
import type { Caller } from "../caller.ts";

const scopeOf = (cwd: string | undefined) => ({
  tenant: DEFAULT_TENANT,
  folders: cwd === undefined ? [] : [cwd],
});

export const skillHandlers: HandlersOf<typeof skillOperations> = {
  async skills({ skills }, { cwd }, { caller }) {
    const all = await skills.all(scopeOf(cwd));
    return all.map((found) =>
      hidden(caller, reportOf({ ...found, folder: found.at }, found.source)),
    );
  },
  async skill({ skills }, { name, cwd }, { caller }) {
    const all = await skills.all(scopeOf(cwd));
    const found = all.find((one) => one.name === name);
    if (found !== undefined)
      return hidden(caller, detailOf({ ...found, folder: found.at }, found.source));
    const near = nearest(
      name,
      all.map((one) => one.name),
    );
    throw new SysError("ENOENT", `unknown skill ${name}`, {
      hint: `${near === undefined ? "" : `did you mean ${near}? `}aos skill ls lists them`,
    });
  },
  async checkSkill(_gateway, { folder }) {
    try {
      return detailOf(await inspectSkill(dirname(folder), basename(folder)), "folder");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof SysError || code === undefined) throw error;
      throw new SysError("ENOENT", `cannot read the folder ${folder} (${code})`);
    }
  },
};

/** A caller of one tenant is told no folder of the machine. */
const hidden = <Report extends { readonly folder: string }>(
  { tenant }: Pick<Caller, "tenant">,
  report: Report,
): Report => (tenant === null ? report : { ...report, folder: "" });

const reportOf = ({ name, folder, skill, problems }: SkillFolder, source: string): SkillReport => ({
  name,
  description: skill?.description ?? "",
  source,
  folder,
  allowedTools: skill?.allowedTools ?? null,
  problems,
});

const detailOf = (found: SkillFolder, source: string): SkillDetail => ({
  ...reportOf(found, source),
  body: found.skill?.body ?? "",
  files: found.files,
});
