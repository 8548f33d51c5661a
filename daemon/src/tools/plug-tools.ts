// Plug tools: the system's own tools, and the provider of what projects bring along.

import {
  createProjectTools,
  createTools,
  type ProjectTools,
  type ProgramRunner,
} from "@aos/drivers";
import type { Tool, TrustLookup } from "@aos/protocol";

export interface PluggedTools {
  readonly tools: readonly Tool[];
  readonly projects: ProjectTools;
}

export interface PlugOptions {
  /** Which project folders count, and as what. */
  readonly trusted: TrustLookup;
  /** A folder whose programs (`*.yaml`) are there for everyone. */
  readonly homeFolder?: string;
  /** Told once of each thing in a project's `.agents/tools` that could not be loaded. */
  readonly onFlaw?: (flaw: string) => void;
}

export function plugTools(runner: ProgramRunner, options: PlugOptions): PluggedTools {
  const tools = createTools(runner);
  return { tools, projects: createProjectTools({ runner, tools, ...options }) };
}
