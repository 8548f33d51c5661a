// Operations about drafts of skills: what worked in a run, for a person to review.

import { z } from "zod";
import { byName, processReference } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { named, names } from "./response-fields.ts";

const nullable = z.string().nullable();

const skillDraftReport = named(
  "SkillDraftReport",
  z.strictObject({
    name: z.string(),
    description: z.string(),
    folder: z.string().describe("Where it can be edited until it is approved."),
    run: nullable.describe("The run that it was made from."),
    agent: nullable,
    records: nullable.describe("The first and the last record of its steps."),
    label: nullable.describe("What that run had read: `trusted/public`."),
    isUntrusted: z.boolean().describe("It is approved only by the digest of what was read."),
    madeBy: nullable.describe("`rules`, or the model that worded it."),
    digest: z.string(),
    problems: names.describe("Why it is no skill yet."),
    text: z.string().describe("Its SKILL.md."),
  }),
);
export type SkillDraftReport = ReportOf<typeof skillDraftReport>;

export const skillDraftOperations = {
  draftSkill: operation({
    method: "POST",
    path: "/skill-drafts",
    summary: "Draft a skill from a run that went well, for a person to review.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      pid: processReference(),
      name: z.string().min(1).max(64).optional().describe("its name (default: words of the goal)"),
      model: z
        .string()
        .min(3)
        .max(200)
        .optional()
        .describe("a model that words it, as provider/name (default: rules)"),
      usd: z
        .number()
        .positive()
        .max(1000)
        .optional()
        .describe("the most that the model may cost, in dollars (default: 0.50)"),
    }),
    response: skillDraftReport,
  }),

  skillDrafts: operation({
    method: "GET",
    path: "/skill-drafts",
    summary: "List the drafts of skills, with the runs that they were made from.",
    role: "operator",
    reach: "machine",
    response: z.array(skillDraftReport),
  }),

  skillDraft: operation({
    method: "GET",
    path: "/skill-drafts/:name",
    summary: "Show a draft of a skill.",
    role: "operator",
    reach: "machine",
    params: byName,
    response: skillDraftReport,
  }),

  approveSkillDraft: operation({
    method: "POST",
    path: "/skill-drafts/:name/approve",
    summary: "Make a draft a skill of this home, which agents may be given.",
    role: "operator",
    reach: "machine",
    params: byName,
    body: z.strictObject({
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "the digest that `aos skill drafts` shows")
        .optional()
        .describe("the digest of the draft that was read; another text is refused"),
    }),
    response: z.strictObject({ name: z.string(), folder: z.string(), digest: z.string() }),
  }),

  rejectSkillDraft: operation({
    method: "POST",
    path: "/skill-drafts/:name/reject",
    summary: "Remove a draft of a skill.",
    role: "operator",
    reach: "machine",
    params: byName,
    body: z.strictObject({}),
    response: z.strictObject({ name: z.string(), digest: z.string() }),
  }),
} as const;
