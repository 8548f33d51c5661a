// AgentList: the agents of the home and of a trusted project, by name. An agent whose file cannot be read is not
// listed; a request for it by name is refused with the reason.

import { findAgent, type AgentFolder } from "../agents.ts";
import { omitUndefined } from "../omit-undefined.ts";

export interface ListedAgent {
  readonly name: string;
  readonly description?: string;
  readonly models: readonly string[];
  readonly tools: readonly string[];
  readonly capabilities: readonly string[];
}

export function listAgents(places: readonly AgentFolder[]): ListedAgent[] {
  const names = [...new Set(places.flatMap((place) => place.names()))].sort();
  return names.flatMap((name) => {
    try {
      const found = findAgent(name, places);
      if (found === undefined) return [];
      const { manifest } = found;
      const model = manifest.model ?? [];
      return [
        {
          name,
          ...omitUndefined({ description: manifest.description }),
          models: typeof model === "string" ? [model] : [...model],
          tools: [...manifest.tools],
          capabilities: [...manifest.capabilities],
        },
      ];
    } catch {
      return [];
    }
  });
}
