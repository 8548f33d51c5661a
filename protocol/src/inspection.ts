// Inspection: what a call would run, determined before a person is asked about it. A driver implements this port.

import type { Json } from "./json.ts";
import type { Tool, WorkPlace } from "./ports.ts";
import type { NamedFile } from "./operations/question.ts";

/** A call that a person is to be asked about. */
export interface InspectedCall {
  readonly tool: Tool | undefined;
  /** The tool's arguments, or the call's. */
  readonly args: Json;
  readonly tenant: string;
  readonly tree: string;
  readonly workspace: WorkPlace;
  readonly folder?: string;
}

export interface Inspection {
  /** Real paths. */
  readonly project: string | null;
  readonly workspaceFolder: string | null;
  readonly files: readonly NamedFile[];
}

/** Looks at what a call would run, before a person is asked about it and again before it is run. */
export interface RunInspector {
  inspect(call: InspectedCall): Promise<Inspection>;
}
