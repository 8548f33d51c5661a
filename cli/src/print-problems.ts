// PrintProblems: one line for each file of the home and of some folders that was left out, with the reason: a tool
// that does not load, an invalid mcp.yaml, an AGENTS.md that was not read.

import type { FolderProblem } from "@aos/protocol";
import type { CommandCall } from "./command.ts";
import { printable } from "./printable.ts";

type ProblemContext = Pick<CommandCall, "client" | "endpoint" | "out">;

/** `said`: folders of which it was said already that nobody trusts them. */
export async function printProblems(
  { client, endpoint, out }: ProblemContext,
  folders: readonly (string | undefined)[],
  said: readonly string[] = [],
): Promise<void> {
  if (endpoint.remote !== undefined) return;
  const asked = [...new Set(folders)].filter((folder) => folder !== undefined);
  // Who may not look is not told; the agent is.
  const found = await Promise.all(
    asked.map((cwd) => client.folderProblems({ cwd }).catch((): FolderProblem[] => [])),
  );
  const isNew = ({ kind, untrusted }: FolderProblem): boolean =>
    kind === "instructions" || untrusted === undefined || !said.includes(untrusted);
  const lines = found.flat().filter(isNew);
  for (const line of new Set(lines.map(({ message }) => message)))
    for (const part of line.split("\n")) out.note(printable(`left out: ${part}`));
}
