// Stdio servers: an MCP server as a program in the sandbox.
//
// STDIO-SERVER-1  It sees its own program and the declared paths only. The daemon's home and the root of the machine
//     cannot be declared. A project's server sees the view of its process; without a process, to list its tools, no
//     file and no network.
// STDIO-SERVER-2  Without declared hosts it has no network; with them it reaches those through the proxy.
// STDIO-SERVER-3  A secret is put into its environment on behalf of the call that starts it.
// STDIO-SERVER-4  It cannot write power files in a writable folder: existing ones are mounted read-only.
// STDIO-SERVER-5  Files that it must not see look empty (declared-visibility.ts, process-view.ts).

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DeviceContext, type MachineFiles, SysError } from "@aos/protocol";
import { describeReport, type Mount, mountsForProgram, realProgram } from "../sandbox/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import { openProxy } from "../sandbox/proxy/index.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { openGuard } from "../workspace/guard.ts";
import { callerContext } from "./caller-gate.ts";
import { declaredContext } from "./declared-gate.ts";
import type { DeclaredVisibility } from "./declared-visibility.ts";
import { isPerProcess, type ServerView, type ViewDependencies } from "./process-view.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What stdio servers need of the machine. */
export interface StdioServerOptions extends ViewDependencies {
  readonly sandbox: () => Promise<Sandbox>;
  /** Where sockets of proxies are put. */
  readonly socketFolder: string;
  /** Folders that no server sees. */
  readonly private: readonly string[];
  /** What the kernel says of files to the operator's servers. */
  readonly files?: () => MachineFiles;
}

/** For whom a project's server runs. */
export interface ServerCall {
  readonly context: DeviceContext;
  readonly view: ServerView;
  /** Who calls it now. */
  readonly callers: ReadonlySet<DeviceContext>;
}

export interface StartedServer {
  readonly transport: StdioTransport;
  /** What holds it, in one line. */
  readonly heldBy: string;
  readonly close: () => Promise<void>;
}

const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];

export async function startStdioServer(
  declaration: StdioDeclaration,
  means: StdioServerOptions,
  context: DeviceContext | undefined,
  { call, sight }: { readonly call?: ServerCall | undefined; readonly sight: DeclaredVisibility },
): Promise<StartedServer> {
  const { name, command } = declaration;
  const program = programOf(declaration, means.private);
  const view = await viewOf(declaration, means, sight, call);
  const mounts = [...view.mounts, ...program.mounts, ...ownOf(declaration)];
  const env = { PATH: program.path, ...environmentOf(declaration, context) };
  const user = view.user === undefined ? {} : { user: view.user };
  const hosts = isPerProcess(declaration) && call === undefined ? [] : declaration.hosts;
  const sandbox = await means.sandbox();

  await using held = new AsyncDisposableStack();
  const stop = new AbortController();
  held.defer(() => stop.abort());
  const proxy =
    hosts.length === 0
      ? undefined
      : await openProxy({
          context:
            call === undefined
              ? declaredContext(declaration, stop.signal)
              : callerContext(declaration, stop.signal, call.callers),
          folder: means.socketFolder,
          ...user,
        });
  held.defer(() => proxy?.close());
  const run = await sandbox.start({
    command: [program.executable, ...command.slice(1)],
    name: `mcp ${name}`,
    output: "stream",
    mounts: withoutDoubles(mounts),
    hidden: view.hidden,
    folder: folderOf(declaration, mounts),
    env,
    network:
      proxy === undefined ? "none" : { proxySocket: proxy.socket, authorities: proxy.authorities },
    profile: "tool",
    // It stays as long as it is used. What it may use at once is limited as for any run.
    limits: { wallMs: Infinity, cpuMs: Infinity },
    ...user,
  });
  const transport = new StdioTransport(run);
  held.defer(() => transport.close());
  const all = held.move();
  // With it goes its way out, however it ends.
  void run.ended.then(() => all.disposeAsync());
  return {
    transport,
    heldBy: describeReport(sandbox.report),
    close: () => all.disposeAsync(),
  };
}

function programOf({ name, command, within }: StdioDeclaration, own: readonly string[]) {
  const searched = process.env["PATH"] ?? "";
  const executable = realProgram(command[0]!, searched);
  if (executable === undefined)
    throw new SysError(
      "ENOENT",
      `the program ${command[0]} of the MCP server ${name} was not found`,
      {
        hint: "install it first; the command must be in the PATH or an absolute path",
      },
    );
  const mounts = mountsForProgram(command[0]!, searched);
  const isElsewhere =
    within !== undefined && command[0]!.startsWith("/") && !isBelow(executable, within);
  if (isElsewhere || mounts.some(({ from }) => own.some((place) => isBelow(place, from))))
    throw new SysError("EACCES", `the program ${command[0]} cannot run as an MCP server`);
  const folders = mounts.flatMap(({ from }) =>
    statSync(from).isDirectory() ? [join(from, "bin"), from] : [dirname(from)],
  );
  return { executable, mounts, path: [...new Set([...folders, ...SYSTEM_PATH])].join(":") };
}

type SeenView = Pick<ServerView, "mounts" | "hidden" | "user">;

/** STDIO-SERVER-1, STDIO-SERVER-4. */
async function viewOf(
  declaration: StdioDeclaration,
  means: StdioServerOptions,
  sight: DeclaredVisibility,
  call: ServerCall | undefined,
): Promise<SeenView> {
  if (call !== undefined) return call.view;
  const { paths } = declaration;
  const nothing = { mounts: [], hidden: [], user: undefined };
  if (isPerProcess(declaration)) {
    for (const { path } of paths) refusePath(declaration, means.private, path, realOf(path));
    return { ...nothing, mounts: emptyFolders(declaration, means) };
  }
  const mounts = paths.map((path) => mountOf(path, declaration, means.private));
  const guards = await Promise.all(
    mounts
      .filter(({ mode, from }) => mode === "write" && statSync(from).isDirectory())
      .map(({ from, at }) =>
        openGuard(from, at, { quarantine: means.quarantine, mayRead: () => true }),
      ),
  );
  const user = ownerOf(paths.map(({ path }) => path));
  const hidden = await sight.hiddenFor(mounts, means.files?.()); // STDIO-SERVER-5
  return { mounts: [...mounts, ...guards.flatMap((guard) => guard.mounts)], hidden, user };
}

/** So that a program that wants its folders can say what its tools are. */
function emptyFolders(
  { paths, own = [] }: StdioDeclaration,
  { socketFolder }: StdioServerOptions,
): Mount[] {
  const isOverOwn = (path: string) => own.some(({ at }) => isBelow(at, path));
  const wanted = paths.filter(({ path }) => !isOverOwn(path));
  if (wanted.length === 0) return [];
  const empty = join(socketFolder, "empty");
  mkdirSync(empty, { recursive: true, mode: 0o755 });
  return wanted.map(({ path }) => ({ from: empty, at: path, mode: "read" }));
}

const ownOf = ({ own = [] }: StdioDeclaration): Mount[] =>
  own.map((one) => ({ ...one, mode: "read" }));

/** Of two at one place the later one: a program is what was trusted, also in a folder that it sees. */
const withoutDoubles = (mounts: readonly Mount[]): Mount[] => [
  ...new Map(mounts.map((mount) => [mount.at ?? mount.from, mount])).values(),
];

const NEVER = new Set(["/", "/proc", "/sys", "/dev", "/run", "/var", "/home", "/root", "/etc"]);
const NOTHING_BELOW = ["/proc", "/sys", "/dev", "/run", "/var/run"];

function mountOf(
  { path, mode }: StdioDeclaration["paths"][number],
  declaration: StdioDeclaration,
  own: readonly string[],
): Mount & { readonly at: string } {
  const real = realOf(path);
  refusePath(declaration, own, path, real);
  return { from: real, at: path, mode };
}

/** STDIO-SERVER-1. */
export function refusePath(
  { within }: StdioDeclaration,
  own: readonly string[],
  path: string,
  real: string,
): void {
  const isRefused =
    NEVER.has(real) ||
    NOTHING_BELOW.some((place) => isBelow(real, place)) ||
    own.some((place) => isBelow(real, place) || isBelow(place, real)) ||
    (within !== undefined && !isBelow(real, within));
  if (isRefused) throw new SysError("EACCES", `an MCP server may not read ${path}`);
}

const isBelow = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new SysError("ENOENT", `the path ${path} of an MCP server does not exist`);
  }
}

/** Its project; the first folder that it sees; or a private one. */
const folderOf = ({ paths, within }: StdioDeclaration, mounts: readonly Mount[]): string => {
  const isSeen = (folder: string) => mounts.some(({ from, at = from }) => isBelow(at, folder));
  if (within !== undefined && isSeen(within)) return within;
  return paths.find(({ path }) => isSeen(path) && statSync(path).isDirectory())?.path ?? "/tmp";
};

/** STDIO-SERVER-3. */
function environmentOf(
  { name, env }: StdioDeclaration,
  context: DeviceContext | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([variable, setting]) => {
      if ("text" in setting) return [variable, setting.text];
      if (context === undefined)
        throw new SysError(
          "EACCES",
          `the secret ${setting.secret} is available only during a call`,
        );
      const place = { kind: "variable", tool: `mcp.${name}`, variable } as const;
      return [variable, context.secret(setting.secret, place)];
    }),
  );
}

/** A server that works on a user's files runs as that user, where the daemon may choose. */
function ownerOf(paths: readonly string[]): ServerView["user"] {
  const [first] = paths;
  if (first === undefined || process.getuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(realOf(first));
  return { uid, gid };
}
