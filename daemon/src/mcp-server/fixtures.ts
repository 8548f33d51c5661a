// Fixtures: what a conformance suite wants to find on a server beside its own tools. The daemon has none
// unless it was started with AOS_MCP_CONFORMANCE=1; what they are is in conformance/.

import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Server,
  ServerCapabilities,
  ServerOptions,
} from "@modelcontextprotocol/server";
import type { ToolRow } from "./tool-row.ts";

export interface Fixtures {
  readonly capabilities: ServerCapabilities;
  readonly options: Pick<ServerOptions, "requestState">;
  readonly tools: readonly ToolRow[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  readonly read: (uri: string) => ReadResourceResult | undefined;
  /** Prompts, and what else has no row. */
  readonly addTo: (server: Server) => void;
}
