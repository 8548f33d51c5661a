// Inspector: determines what a call would run, before a person is asked and again before it runs.
//
// INSPECTOR-1  It changes nothing: a workspace that does not exist yet is not created. A copy then has the bytes of
//     the project, and a private one is empty.
// INSPECTOR-2  Only tools that run programs, and foreign tools, can run what their arguments name.

import { realpath } from "node:fs/promises";
import { type NamedFile, type RunInspector, SysError, type WorkPlace } from "@aos/protocol";
import type { ProgramRunner } from "./program-runner.ts";
import { AgentView } from "./agent-view.ts";
import { fileDigest } from "./file-digest.ts";
import { filesNamedByCall } from "./files-named-by-call.ts";
import { buildSystems } from "./build/build-systems.ts";

export const createInspector = (
  runner: Pick<ProgramRunner, "workspaces" | "private">,
): RunInspector => ({
  async inspect({ tool, args, tree, workspace, folder }) {
    const workspaceFolder = await realOf(workspace.folder);
    const runsPrograms = tool?.sandbox === "process" || tool?.source !== undefined; // INSPECTOR-2
    const root = runsPrograms ? await rootOf(runner, tree, workspace) : undefined;
    return {
      project: await realOf(folder),
      workspaceFolder,
      files: runsPrograms
        ? await filesNamedByCall({ root, private: runner.private }, args, buildWords(tool?.name))
        : [],
    };
  },
});

/** Whether the files that a person saw are still what is there; throws for the first that is not. */
export async function mustBeApproved(
  files: readonly NamedFile[],
  look: { readonly root: string; readonly private: readonly string[] },
): Promise<void> {
  const view = new AgentView(look);
  for (const { path, digest } of files) {
    const real = await view.regularFile(path);
    if (real !== undefined && (await fileDigest(real)).digest === digest) continue;
    throw new SysError("EPOLICY", `${path} has changed since it was approved`, {
      hint: "repeat the call: a person is then asked about the present file",
      detail: { check: "approval", path },
    });
  }
}

/** Where the project uses no other, a build runs one of these. */
const buildWords = (tool: string | undefined): string[] =>
  tool === "build.run" ? Object.values(buildSystems).map(({ program }) => program) : [];

/** INSPECTOR-1. */
async function rootOf(
  { workspaces }: Pick<ProgramRunner, "workspaces">,
  tree: string,
  { folder, isCow }: WorkPlace,
): Promise<string | undefined> {
  if (folder !== undefined && !isCow) return (await realOf(folder)) ?? undefined;
  return (await workspaces.find(tree)) ?? (await realOf(folder)) ?? undefined;
}

const realOf = async (folder: string | undefined): Promise<string | null> =>
  folder === undefined ? null : realpath(folder).catch(() => folder);
