// Join tool providers: several providers of tools as one. On a name clash, the earlier provider wins.

import type { Tool, ToolScope, ToolProvider } from "@aos/protocol";

export function joinToolProviders(providers: readonly ToolProvider[]): ToolProvider {
  return {
    prepare: async (scope) => {
      await Promise.all(providers.map((provider) => provider.prepare(scope)));
    },
    tools: (scope: ToolScope) => {
      const byName = new Map<string, Tool>();
      for (const tool of providers.flatMap((provider) => provider.tools(scope)))
        if (!byName.has(tool.name)) byName.set(tool.name, tool);
      return [...byName.values()];
    },
    mayComeToBe: (name) => providers.some((provider) => provider.mayComeToBe(name)),
  };
}
