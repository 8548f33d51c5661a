// ProgramRunner: the only way in which a tool runs a program for an agent. The program runs in the sandbox and sees
// the workspace at `/work` and the paths that the process was granted.
//
//   const ending = await runInSandbox(shop, context, { command: ["git", "status"], name: "git" });
//
// PROGRAM-RUNNER-1  A file is visible only if the process holds it, and writable only if the process may write it.
// PROGRAM-RUNNER-2  Files in a visible folder that the gate would refuse look empty; so do sockets and devices.
// PROGRAM-RUNNER-3  A run ends at the latest with the grant that it uses.
// PROGRAM-RUNNER-4  What the program may write is marked with the label of the process before the program starts.
// PROGRAM-RUNNER-5  Power files (`.agents`, instructions, files that git and editors obey) are read-only in a folder
//     of the user, and new ones are removed after the run (workspace/guard.ts). In a copy, and in a private
//     workspace, this holds for its `.agents`.
// PROGRAM-RUNNER-6  What was approved is what runs: a file of the call that has changed since the approval is a
//     refusal (inspector.ts).
// PROGRAM-RUNNER-7  Labels of visible files are joined into the result and into what the program writes. With network
//     it does not see confidential or secret files (workspace/visible-files.ts).
// PROGRAM-RUNNER-8  For a tenant with a ceiling nothing runs unless the sandbox enforces files and network.

import { existsSync, statSync } from "node:fs";
import { type DeviceContext, type HeldPattern, SysError } from "@aos/protocol";
import { type WorkspaceGuard, openGuard, type QuarantinedFile } from "../workspace/guard.ts";
import { findHidden, type MachinePath } from "../workspace/hidden.ts";
import { VisibleFiles } from "../workspace/visible-files.ts";
import { toMachine } from "../workspace/mapping.ts";
import type { Workspace, Workspaces } from "../workspace/index.ts";
import type { RunEnding, Mount, RunLimits, RunRequest, Sandbox } from "../sandbox/sandbox.ts";
import { describeReport, requireEnforced } from "../sandbox/index.ts";
import { mustBeApproved } from "./inspector.ts";
import { openProxy, placeholdersFor, type ProxiedRequest } from "../sandbox/proxy/index.ts";

export interface ProgramRunner {
  /** Probed when it is first needed. */
  readonly sandbox: () => Promise<Sandbox>;
  readonly workspaces: Workspaces;
  /** Folder of the proxies' sockets, closed to other users. */
  readonly socketFolder: string;
  /** Where files with power go that a program made. */
  readonly quarantine: string;
  /** Told what was taken away, put back or moved back after a run; it is known when it resolves. */
  readonly onQuarantine?: OnQuarantine;
  /** Folders that no program sees, whatever was granted: where the daemon keeps its own things. */
  readonly private: readonly string[];
}

/** Of what was taken away, `taken` says where it stood and where it lies now. */
export type OnQuarantine = (
  pid: string,
  said: readonly string[],
  taken: readonly QuarantinedFile[],
) => Promise<void>;

export interface ProgramRequest {
  readonly command: readonly string[];
  /** A few words for messages. */
  readonly name: string;
  /** Where it starts, as the agent names it; `/work` when absent. */
  readonly folder?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Names of secrets: the program gets a stand-in, and the proxy puts the value in on the way out. */
  readonly secrets?: readonly string[];
  readonly isOnline?: boolean;
  readonly limits?: RunLimits;
  /** Beside what was granted: what the tool itself brings. */
  readonly mounts?: readonly Mount[];
}

export interface ProgramEnding extends RunEnding {
  readonly visits: readonly ProxiedRequest[];
  /** Files that it was not shown, since what they say may not leave. */
  readonly masked: readonly string[];
  /** Files with power that it made and that were taken away, moved or put back after it, in words. */
  readonly guarded: readonly string[];
}

export async function runInSandbox(
  runner: ProgramRunner,
  context: DeviceContext,
  run: ProgramRequest,
): Promise<ProgramEnding> {
  const sandbox = await runner.sandbox();
  if (context.hasCeiling === true) requireEnforced(sandbox, context.tenant); // PROGRAM-RUNNER-8
  const workspace = await workspaceForCall(runner, context);
  const view = await viewOf(runner, context, workspace);
  const sight = await VisibleFiles.of(
    view.mounts,
    (folder) => context.labelsBelow(folder),
    run.isOnline === true,
  );
  for (const label of sight.labels) context.sees(label); // PROGRAM-RUNNER-7
  for (const { at = "", mode } of view.mounts)
    if (mode === "write") await context.mayWriteBelow(at);
  context.heldBy(describeReport(sandbox.report));

  const placeholders = placeholdersFor(context, run.secrets ?? []);
  const user = workspace.user === undefined ? {} : { user: workspace.user };
  await using held = new AsyncDisposableStack();
  const proxy = run.isOnline
    ? await openProxy({ context, folder: runner.socketFolder, placeholders, ...user })
    : undefined;
  held.defer(() => proxy?.close());
  const request: RunRequest = {
    command: run.command,
    name: run.name,
    output: "collect",
    mounts: [...view.mounts, ...(run.mounts ?? [])],
    hidden: [...new Set([...view.hidden, ...sight.masked])],
    folder: run.folder ?? (view.mounts.some(({ at }) => at === "/work") ? "/work" : "/tmp"),
    env: { ...run.env, ...placeholders.env },
    network:
      proxy === undefined ? "none" : { proxySocket: proxy.socket, authorities: proxy.authorities },
    profile: "tool",
    limits: soonest(run.limits, view.endsAt),
    signal: context.signal,
    ...user,
    ...(run.input === undefined ? {} : { input: run.input }),
  };
  // PROGRAM-RUNNER-6. The last look before it starts.
  await mustBeApproved(context.approvedFiles ?? [], {
    root: workspace.root,
    private: runner.private,
  });
  const ending = await (await sandbox.start(request)).ended;
  const said = await settleGuards(runner, context, view.guards);
  for (const { at, paths } of await sight.written()) await context.wroteBelow(at, paths);
  if (ending.isAborted && context.signal.reason instanceof SysError) throw context.signal.reason;
  const stderr = said.length === 0 ? ending.stderr : `${ending.stderr}\n${formatGuarded(said)}\n`;
  return {
    ...ending,
    stderr,
    visits: proxy?.visits() ?? [],
    masked: sight.masked.map(String),
    guarded: said,
  };
}

/** PROGRAM-RUNNER-5. */
export async function settleGuards(
  runner: Pick<ProgramRunner, "onQuarantine">,
  { pid }: Pick<DeviceContext, "pid">,
  guards: readonly WorkspaceGuard[],
): Promise<string[]> {
  const said: string[] = [];
  for (const guard of guards) said.push(...(await guard.settle()));
  const taken = guards.flatMap((guard) => guard.taken);
  if (said.length > 0) await runner.onQuarantine?.(pid, said, taken);
  return said;
}

export const formatGuarded = (said: readonly string[]): string =>
  `aos: ${said.join("; ")}: a program may not leave a file that agents or programs of the user obey. ` +
  `Write it with file.write, which asks a person; or the operator restores it (\`aos audit ledger\` has its location)`;

export const workspaceForCall = (
  runner: Pick<ProgramRunner, "workspaces">,
  context: DeviceContext,
) =>
  runner.workspaces.of(context, (path) =>
    context.permits({ kind: "file", resource: path, verb: "read" }),
  );

interface View {
  readonly mounts: readonly (Mount & { readonly at: string })[];
  readonly hidden: readonly MachinePath[];
  readonly guards: readonly WorkspaceGuard[];
  readonly endsAt: number;
}

/** PROGRAM-RUNNER-1, PROGRAM-RUNNER-2. */
async function viewOf(
  runner: ProgramRunner,
  context: DeviceContext,
  workspace: Workspace,
): Promise<View> {
  const mounts: (Mount & { readonly at: string })[] = [];
  const hidden: MachinePath[] = [];
  const guards: WorkspaceGuard[] = [];
  let endsAt = Infinity;
  for (const held of context.granted("file")) {
    const folder = plainFolder(held);
    if (folder === undefined || isTooWide(folder, runner.private)) continue;
    const mode = modeOf(held);
    if (mode === undefined) continue;
    endsAt = Math.min(endsAt, held.expiresAt ?? Infinity);
    const from = toMachine(workspace.root, folder);
    if (existsSync(from)) mounts.push({ from, at: folder, mode });
  }
  const shown: (Mount & { readonly at: string })[] = [];
  for (const mount of widest(mounts)) {
    const one = await guardedView(runner, context, workspace, mount);
    shown.push(mount, ...one.mounts);
    guards.push(...one.guards);
    // As the program sees them: from what is on the machine to where that is mounted.
    hidden.push(...one.hidden.flatMap((path) => seenAt(path, mount) ?? []));
  }
  return { mounts: shown, hidden, guards, endsAt };
}

type Placed = Mount & { readonly at: string };

/** PROGRAM-RUNNER-2, PROGRAM-RUNNER-5: what is over one mount. */
export async function guardedView(
  { quarantine }: Pick<ProgramRunner, "quarantine">,
  context: DeviceContext,
  { kind }: Pick<Workspace, "kind">,
  mount: Placed,
): Promise<{ mounts: Placed[]; hidden: readonly MachinePath[]; guards: WorkspaceGuard[] }> {
  const { from, at, mode } = mount;
  const isWork = at === "/work" || at.startsWith("/work/");
  if (isWork && kind !== "direct") return { mounts: rulesIn(mount), hidden: [], guards: [] };
  if (!statSync(from).isDirectory()) return { mounts: [], hidden: [], guards: [] };
  const mayRead = (path: string) => context.permits({ kind: "file", resource: path, verb: "read" });
  if (mode === "read")
    return { mounts: [], hidden: await findHidden(from, at, mayRead), guards: [] };
  const guard = await openGuard(from, at, { quarantine, mayRead });
  return { mounts: [...guard.mounts], hidden: guard.hidden, guards: [guard] };
}

/** Where a run sees something of the machine; undefined where it does not. */
export function seenAt(path: MachinePath, { from, at }: Placed): MachinePath | undefined {
  if (typeof path === "string")
    return path.startsWith(`${from}/`) ? at + path.slice(from.length) : undefined;
  const prefix = Buffer.from(`${from}/`);
  if (!path.subarray(0, prefix.length).equals(prefix)) return undefined;
  return Buffer.concat([Buffer.from(`${at}/`), path.subarray(prefix.length)]);
}

/** PROGRAM-RUNNER-5. */
function rulesIn({ from, at, mode }: Mount & { readonly at: string }): (Mount & { at: string })[] {
  const isThere = mode === "write" && existsSync(`${from}/.agents`);
  return isThere ? [{ from: `${from}/.agents`, at: `${at}/.agents`, mode: "read" }] : [];
}

/** `/data/**` and `/data/a.csv`; undefined for what has a star elsewhere. */
function plainFolder({ pattern }: HeldPattern): string | undefined {
  const folder = pattern.endsWith("/**") ? pattern.slice(0, -"/**".length) : pattern;
  return folder === "" || folder.includes("*") ? undefined : folder;
}

const modeOf = ({ verbs }: HeldPattern): Mount["mode"] | undefined =>
  verbs.includes("write") ? "write" : verbs.includes("read") ? "read" : undefined;

/** Places that are the machine itself, or in which others leave sockets and devices. */
const NEVER = new Set([
  "/",
  "/proc",
  "/sys",
  "/dev",
  "/run",
  "/var",
  "/var/run",
  "/tmp",
  "/home",
  "/root",
]);

const isTooWide = (folder: string, own: readonly string[]): boolean =>
  NEVER.has(folder) ||
  ["/proc", "/sys", "/dev", "/run", "/var/run"].some((place) => folder.startsWith(`${place}/`)) ||
  own.some(
    (place) => place === folder || place.startsWith(`${folder}/`) || folder.startsWith(`${place}/`),
  );

/** The wider ones first; what a wider one gives already is left out. */
function widest<M extends { readonly at: string; readonly mode: Mount["mode"] }>(
  mounts: readonly M[],
): M[] {
  const kept: M[] = [];
  const gives = (wide: M, { at, mode }: M) =>
    (wide.at === at || at.startsWith(`${wide.at}/`)) && (wide.mode === "write" || mode === "read");
  const byWidth = mounts.toSorted(
    (a, b) => a.at.length - b.at.length || Number(b.mode === "write") - Number(a.mode === "write"),
  );
  for (const mount of byWidth) if (!kept.some((wide) => gives(wide, mount))) kept.push(mount);
  return kept;
}

/** PROGRAM-RUNNER-3. */
function soonest(limits: RunLimits = {}, endsAt: number): RunLimits {
  if (endsAt === Infinity) return limits;
  const leftMs = Math.max(1, endsAt - Date.now());
  return { ...limits, wallMs: Math.min(limits.wallMs ?? Infinity, leftMs) };
}
