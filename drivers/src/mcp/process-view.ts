// Process view: the files that a project's server sees for a calling process: the declared paths as the process sees
// them, and the server's own program.
//
// PROCESS-VIEW-1  A workspace path is that of the process: the copy if it works on one, with unreadable files masked
//     and power files read-only.
// PROCESS-VIEW-2  Another path is a machine path, and the process must hold it under that name.
// PROCESS-VIEW-3  The view is computed for every call.
// PROCESS-VIEW-4  Labels of visible files are joined into the result and into what the server writes. A server with
//     hosts does not see confidential or secret files (workspace/visible-files.ts).

import { realpathSync } from "node:fs";
import type { DeviceContext, Touch, WorkPlace } from "@aos/protocol";
import type { Mount } from "../sandbox/index.ts";
import {
  guardedView,
  seenAt,
  workspaceForCall,
  type ProgramRunner,
} from "../tools/program-runner.ts";
import type { WorkspaceGuard } from "../workspace/guard.ts";
import type { MachinePath } from "../workspace/hidden.ts";
import { VisibleFiles } from "../workspace/visible-files.ts";
import { toMachine } from "../workspace/mapping.ts";
import type { Workspace } from "../workspace/index.ts";
import type { McpDeclaration, StdioDeclaration } from "./declaration.ts";

export interface ServerView {
  readonly mounts: readonly Mount[];
  readonly hidden: readonly MachinePath[];
  readonly guards: readonly WorkspaceGuard[];
  /** PROCESS-VIEW-4. */
  readonly sight: VisibleFiles;
  /** What is written to, as agents call it. */
  readonly written: readonly string[];
  readonly user: Workspace["user"];
  /** The same for the same view. */
  readonly key: string;
}

export type ViewDependencies = Pick<ProgramRunner, "workspaces" | "quarantine" | "onQuarantine">;

/** Whether it runs for one process at a time. */
export const isPerProcess = (declaration: McpDeclaration): declaration is StdioDeclaration =>
  declaration.kind === "stdio" && declaration.within !== undefined;

/** PROCESS-VIEW-1, PROCESS-VIEW-2: what agents call a path of the machine. */
export function agentNameOf(path: string, { folder }: WorkPlace): string {
  const root = folder === undefined ? undefined : realOr(folder);
  const isInside = root !== undefined && (path === root || path.startsWith(`${root}/`));
  return isInside ? `/work${path.slice(root.length)}` : path;
}

/** What a call needs of files. */
export const pathTouches = (
  { paths }: Pick<StdioDeclaration, "paths">,
  workspace: WorkPlace,
): Touch[] =>
  paths.map(({ path, mode }) => ({
    kind: "file",
    resource: agentNameOf(path, workspace),
    verb: mode === "write" ? "write" : "read",
  }));

/** PROCESS-VIEW-3. */
export async function viewFor(
  { paths, within, hosts }: StdioDeclaration,
  means: ViewDependencies,
  context: DeviceContext,
  refuse: (path: string, real: string) => void,
): Promise<ServerView> {
  const workspace = await workspaceForCall(means, context);
  const mounts: Mount[] = [];
  const hidden: MachinePath[] = [];
  const guards: WorkspaceGuard[] = [];
  const written: string[] = [];
  const seen: { from: string; at: string; mode: Mount["mode"]; path: string }[] = [];
  for (const { path, mode } of paths) {
    const name = agentNameOf(path, context.workspace);
    const isWork = name !== path;
    const from = isWork ? toMachine(workspace.root, name) : realOr(path);
    if (!isWork) refuse(path, from);
    else if (workspace.kind === "direct") refuse(path, realOr(from));
    // The path of the declaration may have been a link meanwhile; the gate is asked about what it is.
    context.authorize({ kind: "file", resource: name, verb: mode });
    const placed = { from, at: name, mode };
    seen.push({ ...placed, path });
    const one = await guardedView(means, context, workspace, placed);
    guards.push(...one.guards);
    if (mode === "write") written.push(name);
    for (const at of new Set([name, path])) {
      mounts.push({ ...placed, at });
      mounts.push(...one.mounts.map((more) => ({ ...more, at: at + more.at.slice(name.length) })));
      hidden.push(...one.hidden.flatMap((file) => seenAt(file, { ...placed, at }) ?? []));
    }
  }
  const sight = await VisibleFiles.of(
    seen,
    (folder) => context.labelsBelow(folder),
    hosts.length > 0,
  );
  for (const masked of sight.masked) hidden.push(...namesOf(masked, seen));
  const user = workspace.user;
  const key = JSON.stringify([within, mounts, hidden.map(String), user ?? null]);
  return { mounts, hidden, guards, sight, written, user, key };
}

/** A masked file by the name that agents have for it, and by the one that the declaration has. */
function namesOf(
  masked: MachinePath,
  seen: readonly { readonly at: string; readonly path: string }[],
): MachinePath[] {
  return seen.flatMap(({ at, path }) => {
    const isThere = masked === at || seenAt(masked, { from: at, at, mode: "read" }) !== undefined;
    if (!isThere) return [];
    const other = masked === at ? path : seenAt(masked, { from: at, at: path, mode: "read" })!;
    return [masked, other];
  });
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
