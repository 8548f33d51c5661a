// MCP for a daemon: the servers that its home and projects declare, with the pins of its home.

import { createMcpToolProvider, type McpToolProvider, type ProgramRunner } from "@aos/drivers";
import type { MachineFiles, TrustLookup } from "@aos/protocol";
import { join } from "node:path";
import type { Home } from "../home.ts";
import { McpRegistry } from "./mcp-registry.ts";
import { PinsFile } from "./pins-file.ts";

export interface OpenMcp {
  readonly registry: McpRegistry;
  readonly pins: PinsFile;
  readonly provider: McpToolProvider;
}

export function openMcp(
  home: Pick<Home, "folder">,
  runner: ProgramRunner,
  trusted: TrustLookup,
  onTrouble: (what: string, error: unknown) => void,
  files: () => MachineFiles,
): OpenMcp {
  const registry = new McpRegistry(join(home.folder, "mcp.yaml"), trusted);
  const said = new Set<string>();
  const pins = new PinsFile(join(home.folder, "mcp-pins.json"));
  const provider = createMcpToolProvider({
    sandbox: runner.sandbox,
    get socketFolder() {
      return runner.socketFolder;
    },
    get workspaces() {
      return runner.workspaces;
    },
    get quarantine() {
      return runner.quarantine;
    },
    ...(runner.onQuarantine === undefined ? {} : { onQuarantine: runner.onQuarantine }),
    private: runner.private,
    files,
    pins,
    onTrouble,
    declarations: (scope) => {
      const { declared, problems } = registry.usable(scope);
      for (const problem of problems) {
        if (!said.has(problem)) onTrouble(`an mcp.yaml was ignored: ${problem}`, undefined);
        said.add(problem);
      }
      return declared;
    },
    isTrusted: (project, tenant) => trusted(project, tenant) !== undefined,
  });
  return { registry, pins, provider };
}
