// Shelves: several shelves of tools as one. Of two tools with one name the one of the earlier shelf counts.

import type { Tool, ToolScope, ToolProvider } from "@aos/protocol";

export function joinToolProviders(shelves: readonly ToolProvider[]): ToolProvider {
  return {
    prepare: async (scope) => {
      await Promise.all(shelves.map((shelf) => shelf.prepare(scope)));
    },
    tools: (scope: ToolScope) => {
      const byName = new Map<string, Tool>();
      for (const tool of shelves.flatMap((shelf) => shelf.tools(scope)))
        if (!byName.has(tool.name)) byName.set(tool.name, tool);
      return [...byName.values()];
    },
    mayComeToBe: (name) => shelves.some((shelf) => shelf.mayComeToBe(name)),
  };
}
