// Models: every agent of the home is one. What a caller may start, it may ask.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { nearest, SysError } from "@aos/protocol";
import { type FoundAgent, findAgent, agentFolderAt } from "../agents.ts";
import type { Home } from "../home.ts";

const FILE = /^([a-z0-9][a-z0-9._-]{0,62})\.yaml$/;

export interface AgentModel {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: "agent-os";
  readonly description: string | null;
}

/** One that cannot be read is no model; whoever asks for it is told why. */
export function listModels(home: Home): AgentModel[] {
  return namesIn(home).flatMap((name) => {
    try {
      return [modelOf(name, home)];
    } catch (error) {
      if (error instanceof SysError) return [];
      throw error;
    }
  });
}

export function modelOf(name: string, home: Home): AgentModel {
  const { manifest } = agentOf(name, home);
  return {
    id: name,
    object: "model",
    created: Math.floor(statSync(join(home.agents, `${name}.yaml`)).mtimeMs / 1000),
    owned_by: "agent-os",
    description: manifest.description ?? null,
  };
}

export function agentOf(name: string, home: Home): FoundAgent {
  const found = findAgent(name, [agentFolderAt(home.agents)]);
  if (found !== undefined) return found;
  const names = namesIn(home);
  const near = nearest(name, names);
  throw new SysError("ENOENT", `unknown model ${JSON.stringify(name)}: no agent has this name`, {
    hint:
      near !== undefined
        ? `did you mean ${near}?`
        : names.length > 0
          ? `the agents are ${names.slice(0, 10).join(", ")}`
          : "put its manifest as NAME.yaml into agents/ of the home",
    detail: { param: "model" },
  });
}

function namesIn({ agents }: Home): string[] {
  try {
    const files = readdirSync(agents).toSorted();
    return files.flatMap((file) => FILE.exec(file)?.[1] ?? []);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
