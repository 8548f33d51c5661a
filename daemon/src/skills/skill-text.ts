// Skill text: a SKILL.md by the AgentSkills specification, parsed strictly.
//
//   readSkillText(text, "review-change")     the skill, and its problems
//
// SKILL-TEXT-1  A field that the specification does not have is a problem, and so is a name that differs from the
//     folder's: a skill with a problem is not offered.

import { SysError } from "@aos/protocol";
import { z } from "zod";
import { readYaml, type YamlProblem } from "../yaml-file.ts";

const frontMatter = z.strictObject({
  name: z
    .string()
    .max(64, "at most 64 characters")
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "only a-z, 0-9 and single hyphens between them"),
  description: z
    .string()
    .max(1024, "at most 1024 characters")
    .refine((text) => text.trim() !== "", "says nothing"),
  license: z.string().min(1, "says nothing").optional(),
  compatibility: z.string().min(1, "says nothing").max(500, "at most 500 characters").optional(),
  metadata: z.record(z.string(), z.string("must be a text; put it in quotes")).optional(),
  "allowed-tools": z.string("must be a text: names with spaces between them").optional(),
});

export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Undefined where it says nothing of tools; empty where it needs none. */
  readonly allowedTools?: readonly string[];
  /** The instructions: what stands below the front matter. */
  readonly body: string;
}

export type SkillReading =
  | { readonly skill: ParsedSkill; readonly problems: readonly [] }
  | { readonly skill: undefined; readonly problems: readonly string[] };

const FENCED = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)([\s\S]*)$/;

export function readSkillText(text: string, folderName: string): SkillReading {
  const [, yaml, body] = FENCED.exec(text) ?? [];
  if (yaml === undefined || body === undefined)
    return flawed(["SKILL.md:1: expected front matter between two lines of ---"]);
  try {
    const complain = ({ name }: z.output<typeof frontMatter>) =>
      name === folderName
        ? []
        : [{ path: ["name"], message: `must be the name of its folder, ${folderName}` }];
    // The first line is that of the fence, so that complaints name the line of the file.
    const { read } = readYaml(`\n${yaml}`, "SKILL.md", frontMatter, complain);
    const { "allowed-tools": tools, ...rest } = read;
    const allowed =
      tools === undefined ? {} : { allowedTools: tools.split(/\s+/).filter((one) => one !== "") };
    return { skill: { ...withoutAbsent(rest), ...allowed, body: body.trimStart() }, problems: [] };
  } catch (error) {
    return flawed(problemsOf(error));
  }
}

const flawed = (problems: readonly string[]): SkillReading => ({ skill: undefined, problems });

type Rest = Omit<z.output<typeof frontMatter>, "allowed-tools">;

const withoutAbsent = (rest: Rest): Omit<ParsedSkill, "body" | "allowedTools"> =>
  Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as never;

function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof SysError)) return [`SKILL.md: ${(error as Error).message}`]; // too many aliases
  return ((error.detail ?? []) as unknown as YamlProblem[]).map(
    ({ line, field, message }) => `SKILL.md:${line}: ${field === "" ? "" : `${field}: `}${message}`,
  );
}
