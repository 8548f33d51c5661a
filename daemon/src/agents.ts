// Agents by name: NAME.yaml in the caller's project (.agents/agents/), then in the home (agents/).
// Programs that the kernel has are agents too; it knows those itself.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentSource } from "@aos/kernel";
import type { Home } from "./home.ts";
import { readManifest, type ReadManifest } from "./manifest-file.ts";

const AGENT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export interface FoundAgent extends ReadManifest {
  /** The folder that its scripts and commands are relative to. */
  readonly folder: string;
}

export function findAgent(name: string, folders: readonly string[]): FoundAgent | undefined {
  if (!AGENT_NAME.test(name)) return undefined;
  for (const file of folders.map((folder) => join(folder, `${name}.yaml`))) {
    const text = textOf(file);
    if (text !== undefined) return { ...readManifest(text, file), folder: dirname(file) };
  }
  return undefined;
}

export const projectAgents = (cwd: string): string => join(cwd, ".agents", "agents");

/** For agents that start other agents by name. As written: the kernel reads manifests itself. */
export const agentsOfHome =
  (home: Home) =>
  (name: string): AgentSource | undefined => {
    const found = findAgent(name, [home.agents]);
    return found && { manifest: found.written, folder: found.folder };
  };

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
