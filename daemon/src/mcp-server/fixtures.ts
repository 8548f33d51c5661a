// Fixtures: tools, prompts and resources that a server has beside its own, for a conformance suite that wants to
// find them. A daemon has none: only who makes the gateway in code can give it some.

import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Server,
  ServerCapabilities,
  ServerEvent,
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

/** `publish` tells those who listen that a list changed. */
export type OpenFixtures = (publish: (event: ServerEvent) => void) => Fixtures;
