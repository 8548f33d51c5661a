// AgentList: the agents of a project and of the home, by name; of two with one name it is the project's. One whose file cannot be read is in no list: who asks for it
// by name is told why.

import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { findAgent } from "../agents.ts";
import { present } from "../present.ts";

export interface ListedAgent {
  readonly name: string;
  readonly description?: string;
  readonly models: readonly string[];
  readonly tools: readonly string[];
}

export function listAgents(folders: readonly string[]): ListedAgent[] {
  const names = [...new Set(folders.flatMap(namesIn))].sort();
  return names.flatMap((name) => {
    try {
      const found = findAgent(name, folders);
      if (found === undefined) return [];
      const { manifest } = found;
      const model = manifest.model ?? [];
      return [
        {
          name,
          ...present({ description: manifest.description }),
          models: typeof model === "string" ? [model] : [...model],
          tools: [...manifest.tools],
        },
      ];
    } catch {
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => basename(file, ".yaml"));
  } catch {
    return []; // There is no such folder before the first agent.
  }
}
