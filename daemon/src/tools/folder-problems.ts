// Folder problems: what was left out of the home and of the projects of some folders, and why: tools that do not load,
// an invalid mcp.yaml, instructions that were not read.

import { DEFAULT_TENANT, type FolderProblem } from "@aos/protocol";
import type { GatewayContext } from "../gateway/gateway-context.ts";

type Sources = Pick<GatewayContext, "toolFlaws" | "mcp" | "skills">;

export async function folderProblems(
  { toolFlaws, mcp, skills }: Sources,
  folders: readonly string[],
): Promise<FolderProblem[]> {
  const scope = { tenant: DEFAULT_TENANT, folders };
  const plain = (kind: FolderProblem["kind"], messages: readonly string[]): FolderProblem[] =>
    messages.map((message) => ({ kind, message }));
  const problems: FolderProblem[] = [
    ...(await toolFlaws(scope)).map((flaw) => ({ kind: "tool" as const, ...flaw })),
    ...plain("mcp", mcp.registry.usable(scope).problems),
    ...mcp.registry.untrusted(scope).map((project) => ({
      kind: "mcp" as const,
      message: `the MCP servers of ${project} are not trusted: aos trust ${project}`,
      untrusted: project,
    })),
    ...plain("instructions", await skills.instructionProblems(scope)),
  ];
  return [...new Map(problems.map((one) => [`${one.kind} ${one.message}`, one])).values()];
}
