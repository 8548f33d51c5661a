// Folder problems: what of the home and of the projects of some folders was left out, and why: tools that do
// not load, an mcp.yaml that says nonsense, instructions that were not read.

import { DEFAULT_TENANT, type FolderProblem } from "@aos/protocol";
import type { Desk } from "../gateway/answers.ts";

type Sources = Pick<Desk, "toolFlaws" | "mcp" | "skills">;

export async function folderProblems(
  { toolFlaws, mcp, skills }: Sources,
  folders: readonly string[],
): Promise<FolderProblem[]> {
  const scope = { tenant: DEFAULT_TENANT, folders };
  const of = (kind: FolderProblem["kind"], messages: readonly string[]): FolderProblem[] =>
    [...new Set(messages)].map((message) => ({ kind, message }));
  const strangers = mcp.book
    .untrusted(scope)
    .map((project) => `the MCP servers of ${project} are not trusted: aos trust ${project}`);
  return [
    ...of("tool", await toolFlaws(scope)),
    ...of("mcp", [...mcp.book.usable(scope).problems, ...strangers]),
    ...of("instructions", await skills.instructionProblems(scope)),
  ];
}
