// Operations about skills.

import { z } from "zod";
import { byName, folder, fromFolder } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, named, names } from "./response-fields.ts";

const skillFields = {
  name: z.string(),
  description: z.string(),
  source: z.string().describe("`project`, `user`, `system`."),
  folder: z.string(),
  allowedTools: names.nullable(),
  problems: names.describe("Its error; a model with an error is not offered."),
};

const skillReport = named("SkillReport", z.strictObject(skillFields));
export type SkillReport = ReportOf<typeof skillReport>;

const skillDetail = named(
  "SkillDetail",
  z.strictObject({
    ...skillFields,
    body: z.string(),
    files: z.array(z.strictObject({ path: z.string(), bytes: count })),
  }),
);
export type SkillDetail = ReportOf<typeof skillDetail>;

export const skillOperations = {
  skills: operation({
    method: "GET",
    path: "/skills",
    summary: "List the skills, and the problems of those that are not offered.",
    role: "viewer",
    reach: "tenant",
    query: fromFolder,
    response: z.array(skillReport),
  }),

  skill: operation({
    method: "GET",
    path: "/skills/:name",
    summary: "Show one skill in full: its instructions, its files, the tools that it allows.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: fromFolder,
    response: skillDetail,
  }),

  checkSkill: operation({
    method: "POST",
    path: "/skills/check",
    summary: "Check a skill folder against the AgentSkills specification.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ folder }),
    response: skillDetail,
  }),
} as const;
