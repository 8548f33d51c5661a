// Agents by name: NAME.yaml in the home (agents/), then in the caller's trusted project (.agents/agents/). The
// kernel's own programs are agents too.
//
// DAEMON-AGENTS-1  On a name clash the home wins: no project replaces an agent of the operator.
// DAEMON-AGENTS-2  Nothing of an untrusted project is used; manifests of a trusted one are the trusted bytes.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentSource } from "@aos/kernel";
import { SysError, type TrustLookup } from "@aos/protocol";
import type { Home } from "./home.ts";
import { readManifestFile, type ParsedManifest } from "./manifest-file.ts";
import { realOf } from "./trust/power-entry.ts";

const AGENT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const OF_PROJECT = join(".agents", "agents");

export interface FoundAgent extends ParsedManifest {
  /** The folder that its scripts and commands are relative to. */
  readonly folder: string;
}

/** Where manifests are found by name. */
export interface AgentFolder {
  /** For messages, and for what the manifest names. */
  readonly folder: string;
  names(): readonly string[];
  read(name: string): string | undefined;
}

export function findAgent(name: string, places: readonly AgentFolder[]): FoundAgent | undefined {
  if (!AGENT_NAME.test(name)) return undefined;
  for (const place of places) {
    const text = place.read(name);
    if (text === undefined) continue;
    const { folder } = place;
    return { ...readManifestFile(text, join(folder, `${name}.yaml`)), folder };
  }
  return undefined;
}

/** DAEMON-AGENTS-1. */
export const agentFolders = (
  home: Pick<Home, "agents">,
  trusted: TrustLookup,
  from: { readonly cwd: string | undefined; readonly tenant: string },
): AgentFolder[] => [agentFolderAt(home.agents), ...projectAgentFolder(trusted, from)];

/** A folder as it is on the disk. */
export const agentFolderAt = (folder: string): AgentFolder => ({
  folder,
  names: () => namesIn(folder),
  read: (name) => textOf(join(folder, `${name}.yaml`)),
});

/** DAEMON-AGENTS-2. */
export function projectAgentFolder(
  trusted: TrustLookup,
  { cwd, tenant }: { readonly cwd: string | undefined; readonly tenant: string },
): AgentFolder[] {
  const found = cwd === undefined ? undefined : trusted(cwd, tenant);
  if (found === undefined) return [];
  const { folder, files } = found;
  const at = (name: string) => `${OF_PROJECT}/${name}.yaml`;
  return [
    {
      folder: join(folder, OF_PROJECT),
      names: () =>
        [...files.keys()].flatMap((path) =>
          dirname(path) === OF_PROJECT && path.endsWith(".yaml")
            ? [path.slice(OF_PROJECT.length + 1, -".yaml".length)]
            : [],
        ),
      read: (name) => {
        const bytes = files.get(at(name));
        return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
      },
    },
  ];
}

/** Who asks for an agent that only an untrusted project has is told so. */
export function refuseUntrusted(name: string, cwd: string | undefined): void {
  if (cwd === undefined || !AGENT_NAME.test(name)) return;
  if (!namesIn(join(cwd, OF_PROJECT)).includes(name)) return;
  const folder = realOf(cwd) ?? cwd;
  throw new SysError("EACCES", `the agent ${name} is in ${folder}, which is not trusted`, {
    hint: `review the folder and trust it: aos trust ${folder}`,
  });
}

/** For agents that start other agents by name. As written: the kernel reads manifests itself. */
export const agentsOfHome =
  (home: Home) =>
  (name: string): AgentSource | undefined => {
    const found = findAgent(name, [agentFolderAt(home.agents)]);
    return found && { manifest: found.written, folder: found.folder };
  };

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => file.slice(0, -".yaml".length));
  } catch {
    return []; // There is no such folder before the first agent.
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
