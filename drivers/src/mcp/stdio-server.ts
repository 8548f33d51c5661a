// Stdio servers: a program of somebody else, started in the sandbox.
//
// S1  It sees its own program, what its declaration names, and nothing more. Where the daemon keeps its own
//     things, and the machine as a whole, cannot be named.
// S2  Without declared hosts it has no network; with them it reaches those, through the proxy.
// S3  A secret is put into its environment in the name of the call that starts it.
// S4  It never writes to the `.agents` of a folder that it may write to: that says what agents may do.

import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DeviceContext, SysError } from "@aos/protocol";
import { describeReport, type Mount, mountsForProgram, realProgram } from "../sandbox/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import { openProxy } from "../sandbox/proxy/index.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { declaredContext } from "./declared-gate.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What stdio servers need of the machine. */
export interface StdioMeans {
  readonly sandbox: () => Promise<Sandbox>;
  /** Where sockets of proxies are put. */
  readonly socketFolder: string;
  /** Folders that no server sees. */
  readonly private: readonly string[];
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
  means: StdioMeans,
  context: DeviceContext | undefined,
): Promise<StartedServer> {
  const { name, command, paths, hosts } = declaration;
  const program = programOf(declaration, means.private);
  const mounts = [
    ...program.mounts,
    ...paths.flatMap((path) => mountsOf(path, declaration, means.private)),
  ];
  const env = { PATH: program.path, ...environmentOf(declaration, context) };
  const user = ownerOf(paths.map(({ path }) => path));
  const sandbox = await means.sandbox();

  await using held = new AsyncDisposableStack();
  const stop = new AbortController();
  held.defer(() => stop.abort());
  const proxy =
    hosts.length === 0
      ? undefined
      : await openProxy({
          context: declaredContext(declaration, stop.signal),
          folder: means.socketFolder,
          ...user,
        });
  held.defer(() => proxy?.close());
  const run = await sandbox.start({
    command: [program.executable, ...command.slice(1)],
    name: `mcp ${name}`,
    output: "stream",
    mounts,
    folder: folderOf(declaration),
    env,
    network:
      proxy === undefined ? "none" : { proxySocket: proxy.socket, authorities: proxy.authorities },
    profile: "tool",
    // It stays as long as somebody uses it. What it may use at once is limited as for any run.
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
      `the program ${command[0]} of the MCP server ${name} is not there`,
      {
        hint: "install it first; a command is a program of the PATH or an absolute path",
      },
    );
  const mounts = mountsForProgram(command[0]!, searched);
  const isElsewhere =
    within !== undefined && command[0]!.startsWith("/") && !isBelow(executable, within);
  if (isElsewhere || mounts.some(({ from }) => own.some((place) => isBelow(place, from))))
    throw new SysError("EACCES", `the program ${command[0]} cannot be an MCP server's`);
  const folders = mounts.flatMap(({ from }) =>
    statSync(from).isDirectory() ? [join(from, "bin"), from] : [dirname(from)],
  );
  return { executable, mounts, path: [...new Set([...folders, ...SYSTEM_PATH])].join(":") };
}

/** Where a project declares agents, tools, servers and policy. */
const OURS = ".agents";
const NEVER = new Set(["/", "/proc", "/sys", "/dev", "/run", "/var", "/home", "/root", "/etc"]);
const NOTHING_BELOW = ["/proc", "/sys", "/dev", "/run", "/var/run"];

/** S1, S4. */
function mountsOf(
  { path, mode }: StdioDeclaration["paths"][number],
  { within }: StdioDeclaration,
  own: readonly string[],
): Mount[] {
  const real = realOf(path);
  const isRefused =
    NEVER.has(real) ||
    NOTHING_BELOW.some((place) => isBelow(real, place)) ||
    own.some((place) => isBelow(real, place) || isBelow(place, real)) ||
    (within !== undefined && !isBelow(real, within));
  if (isRefused) throw new SysError("EACCES", `no MCP server sees ${path}`);
  const ruling = join(real, OURS);
  const isThere = mode === "write" && statSync(ruling, { throwIfNoEntry: false }) !== undefined;
  return [
    { from: real, at: path, mode },
    ...(isThere ? [{ from: ruling, at: join(path, OURS), mode: "read" as const }] : []),
  ];
}

const isBelow = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer === "/" ? "/" : `${outer}/`);

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new SysError("ENOENT", `${path}, which an MCP server is to see, is not there`);
  }
}

/** The first folder that it sees, or a private one. */
const folderOf = ({ paths }: StdioDeclaration): string =>
  paths.find(({ path }) => statSync(path).isDirectory())?.path ?? "/tmp";

/** S3. */
function environmentOf(
  { name, env }: StdioDeclaration,
  context: DeviceContext | undefined,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([variable, setting]) => {
      if ("text" in setting) return [variable, setting.text];
      if (context === undefined)
        throw new SysError("EACCES", `${setting.secret} is used in calls only`);
      const place = { kind: "variable", tool: `mcp.${name}`, variable } as const;
      return [variable, context.secret(setting.secret, place)];
    }),
  );
}

/** Whoever works on somebody's files has to be that somebody, where we may choose. */
function ownerOf(paths: readonly string[]): { user?: { uid: number; gid: number } } {
  const [first] = paths;
  if (first === undefined || process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(realOf(first));
  return { user: { uid, gid } };
}
