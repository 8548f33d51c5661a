// Run identity: what would run if a call were allowed, besides its name and arguments. Approvals and "always" are
// bound to it.
//
//   const runs = await identifyRun(world, process, action)
//
// RUN-IDENTITY-1  The digest covers the tool's version and code, the program and the manifest of the
//     process, the project, the workspace, the bytes of every file that the arguments name, and what may
//     be reached.
// RUN-IDENTITY-2  It does not cover the process: two that would run the same share a question (approval/batch.ts).
// RUN-IDENTITY-3  What cannot be inspected is refused without asking.

import {
  canonicalText,
  type InspectedCall,
  type Inspection,
  type Json,
  type RunIdentity,
} from "@aos/protocol";
import { type Capability, formatCapability } from "../capability/index.ts";
import { digestOf } from "../journal/codec.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import { reachOf } from "./reach.ts";
import { argsOf } from "./subject.ts";

export interface IdentifiedRun {
  readonly shown: RunIdentity;
  readonly digest: string;
  readonly reach: readonly Capability[];
}

export type Inspect = (call: InspectedCall) => Promise<Inspection>;

export const digestOfRuns = (shown: RunIdentity): string =>
  digestOf(canonicalText(shown as unknown as Json));

export async function identifyRun(
  inspect: Inspect,
  process: Process,
  action: Action,
): Promise<IdentifiedRun> {
  const { spec } = process.row;
  const { workspace } = process.place;
  const { tool } = action;
  const found = await inspect({
    tool,
    args: argsOf(action),
    tenant: process.tenantName,
    tree: process.tree,
    workspace,
    ...(spec.folder === undefined ? {} : { folder: spec.folder }),
  });
  const reach = reachOf(process, action);
  const digest = (await tool?.identity?.()) ?? null;
  const shown: RunIdentity = {
    ...callerIdentity(process, found),
    tool: tool === undefined ? null : { name: tool.name, version: tool.version, digest },
    files: found.files,
    reach: reach.map(formatCapability),
  };
  return { shown, digest: digestOfRuns(shown), reach };
}

/** Who asks, without what its call would run: the same for every call of the process. */
export function callerIdentity(
  process: Process,
  { project, workspaceFolder }: Pick<Inspection, "project" | "workspaceFolder"> = {
    project: process.row.spec.folder ?? null,
    workspaceFolder: process.place.workspace.folder ?? null,
  },
): RunIdentity {
  const { program, programVersion, manifestHash } = process.row.spec;
  const { folder, isCow } = process.place.workspace;
  return {
    tool: null,
    program,
    programVersion,
    manifest: manifestHash,
    project,
    workspace: {
      kind: folder === undefined ? "private" : isCow ? "copy" : "direct",
      folder: workspaceFolder,
    },
    files: [],
    reach: [],
  };
}

/** Where no driver looks at files: the names as they were given. */
export const inspectNothing: Inspect = ({ folder, workspace }) =>
  Promise.resolve({
    project: folder ?? null,
    workspaceFolder: workspace.folder ?? null,
    files: [],
  });
