// Mount port: what the kernel requires of a connector, a store of others that a process sees below /mnt/NAME.
//
// MOUNT-PORT-1  A connector only reads. What it reaches beside its declared reach it asks the gate for, by `authorize`,
//     before it is used.
// MOUNT-PORT-2  A page names the next one by a cursor of the connector's own; the call that wants it gives it back.

import type { Json } from "./json.ts";
import type { Label } from "./label.ts";
import type { MountDeclaration } from "./mount-declaration.ts";
import type { DeviceContext, Touch } from "./ports.ts";

export type MountCall = "list" | "read" | "search";

export interface MountRequest {
  readonly call: MountCall;
  /** Below the mount, without a slash before it; empty for the mount itself. */
  readonly path: string;
  readonly query?: string;
  readonly cursor?: string;
  readonly limit?: number;
  readonly offset?: number;
  readonly length?: number;
}

/** What `list` answers: paths below the mount, and the cursor of the next page. */
export interface MountPage {
  readonly paths: readonly string[];
  readonly next: string | null;
}

/** What `search` answers, the best first. */
export interface MountSearchResult {
  readonly found: readonly { readonly path: string; readonly data: Json; readonly score: number }[];
  readonly next: string | null;
}

export interface Connector {
  readonly name: string;
  /** `folder`, `git`, `http` … */
  readonly driver: string;
  /** What it shows, for people, without a secret: a folder, a URL. */
  readonly target: string;
  /** Who declared it: `config.yaml`, or `manifest`. */
  readonly declaredBy: string;
  readonly label: Label;
  /** Somebody outside this machine can see what is read. */
  readonly egress: boolean;
  /** It is also at /mem/semantic/NAME, and in a search of /mem/semantic. */
  readonly isSemantic?: boolean;
  /** What a call needs beside the right to the path below /mnt. */
  touches(request: MountRequest): readonly Touch[];
  list(request: MountRequest, context: DeviceContext): Promise<MountPage>;
  read(request: MountRequest, context: DeviceContext): Promise<Json>;
  /** Absent where it cannot be searched. */
  search?(request: MountRequest, context: DeviceContext): Promise<MountSearchResult>;
}

/** Whose mounts: those of the configuration are of its tenant, those of a manifest of its processes. */
export interface MountScope {
  readonly tenant: string;
  readonly declared: Readonly<Record<string, MountDeclaration>> | undefined;
}

export interface MountProvider {
  /** By name; on a name clash the operator's counts. */
  mounts(scope: MountScope): ReadonlyMap<string, Connector>;
}

/** A connector, for people. */
export interface ConnectorReport {
  readonly path: string;
  readonly driver: string;
  /** What it shows, for the operator. */
  readonly target: string;
  readonly declaredBy: string;
  readonly label: string;
  /** The secrets that a call needs, by name. */
  readonly secrets: readonly string[];
}
