// Pipe: what the stages of a pipe see of it while they run, and what an item has to be to pass.

import type { Json } from "./json.ts";

export const PIPES = "/ipc/pipes";
/** A read takes the next item. */
export const PIPE_IN = "/ipc/pipes/in";
/** A write gives an item to the next stage. */
export const PIPE_OUT = "/ipc/pipes/out";

/** An edge between two stages, as rules of a policy name it. */
export const pipeEdgeName = (pipe: string, from: string, to: string): string =>
  `${pipe}/${from}/${to}`;

/** The check of an edge. */
export interface PipeEdge {
  /** JSON Schema of each item. */
  readonly schema?: Json;
  /** The most that its label may be. */
  readonly label?: string;
  /** Raises untrusted to mixed, by a strict schema. */
  readonly endorse?: true;
}

/** What a read of PIPE_IN answers: the next item, or how the stage before ended. */
export type PipeRead =
  | { readonly item: Json }
  | { readonly end: { readonly state: string; readonly exitCode: number | null } };
