// Chosen agent: whom a test is about: a manifest file, a folder with agent.yaml, the name of an agent, or the
// manifest itself, written into the test.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readManifest as readByKernel } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  SysError,
  type Manifest,
  type ManifestText,
  type TrustLookup,
} from "@aos/protocol";
import { findAgent, agentFolderAt, projectAgentFolder } from "../agents.ts";
import { readManifestFile } from "../manifest-file.ts";
import { testFileText, type TestDefinition } from "./test-file.ts";

export interface ChosenAgent {
  /** What it is started with. */
  readonly start: { readonly agent: string } | { readonly manifest: ManifestText };
  readonly manifest: Manifest | undefined;
  /** Where its commands, its scripts and its project are. */
  readonly folder: string;
  /** The project that the test is of. */
  readonly project: string;
}

export function chooseAgent(
  { test: { agent, folder: from }, folder }: TestDefinition,
  agentFolders: readonly string[],
  trusted: TrustLookup,
): ChosenAgent {
  const project = projectAbove(folder);
  if (typeof agent !== "string") {
    const written = agent as ManifestText;
    return {
      start: { manifest: written },
      manifest: readByKernel(written),
      folder: from === undefined ? project : resolve(folder, from),
      project,
    };
  }
  const file = manifestFile(resolve(folder, agent));
  if (file !== undefined) {
    const { written, manifest } = readManifestFile(testFileText(file), file);
    return { start: { manifest: written }, manifest, folder: dirname(file), project };
  }
  const found = findAgent(agent, [
    ...agentFolders.map(agentFolderAt),
    ...projectAgentFolder(trusted, { cwd: project, tenant: DEFAULT_TENANT }),
  ]);
  if (found !== undefined) return { start: { manifest: found.written }, ...found, project };
  if (/\/|^\.|\.ya?ml$/.test(agent))
    throw new SysError("ENOENT", `there is no ${resolve(folder, agent)}`, {
      hint: "agent: a manifest file, a folder with agent.yaml, or the name of an agent",
    });
  return { start: { agent }, manifest: undefined, folder: project, project };
}

function manifestFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return path;
  const inside = join(path, "agent.yaml");
  const isFolder = found?.isDirectory() === true;
  return isFolder && statSync(inside, { throwIfNoEntry: false })?.isFile() ? inside : undefined;
}

/** The nearest folder with an `.agents`, at or above; the folder itself where there is none. */
export function projectAbove(folder: string): string {
  let at = folder;
  for (;;) {
    if (statSync(join(at, ".agents"), { throwIfNoEntry: false })?.isDirectory() === true) return at;
    const above = dirname(at);
    if (above === at) return folder;
    at = above;
  }
}
