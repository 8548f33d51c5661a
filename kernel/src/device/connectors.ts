// Connectors: the mounts below /mnt of a process. A call on one is carried out like a tool's, so that it is described,
// judged, limited in time, labelled and recorded as one; a replay has its answer and needs no mount.
//
// CONNECTORS-1  A call needs the right to the path (`file:/mnt/NAME/…`), and whatever the connector touches for it.
// CONNECTORS-2  The answer has the label of the mount. What goes wrong out there is EUPSTREAM and names the mount.
// CONNECTORS-4  A semantic mount is below /mem/semantic as well, by the same right (`file:/mnt/NAME/…`) and no other: the
//     agent's own files at that place are hidden.
// CONNECTORS-3  A process has the mounts that the operator declared for its tenant and those of its own manifest, and
//     no others; on a name clash the operator's counts.

import {
  CONNECTORS,
  SysError,
  type DeviceContext,
  type Json,
  type Manifest,
  type Connector,
  type MountPage,
  type MountProvider,
  type MountRequest,
  type Tool,
  type Touch,
} from "@aos/protocol";

export interface ConnectorOwner {
  readonly tenantName: string;
  readonly manifest: Pick<Manifest, "mounts">;
}

const PREFIX = "mnt.";
const NONE: ReadonlyMap<string, Connector> = new Map();

export class ConnectorRegistry {
  readonly #provider: MountProvider | undefined;
  readonly #tools = new WeakMap<Connector, Tool>();

  constructor(provider: MountProvider | undefined) {
    this.#provider = provider;
  }

  /** CONNECTORS-3. */
  of({ tenantName, manifest }: ConnectorOwner): ReadonlyMap<string, Connector> {
    return this.#provider?.mounts({ tenant: tenantName, declared: manifest.mounts }) ?? NONE;
  }

  /** By the name of the tool: `mnt.NAME`. */
  tool(toolName: string, owner: ConnectorOwner): Tool {
    const name = toolName.slice(PREFIX.length);
    const mounts = this.of(owner);
    const mount = mounts.get(name);
    if (mount === undefined)
      throw new SysError("ENOENT", `nothing is mounted at ${CONNECTORS}/${name}`, {
        hint: `the mounts are ${[...mounts.keys()].sort().join(", ") || "none"}`,
      });
    const tool = this.#tools.get(mount) ?? toolOf(mount);
    this.#tools.set(mount, tool);
    return tool;
  }

  /** Whether a path is at or below the place of a mount. */
  covers(path: string, owner: ConnectorOwner): boolean {
    if (this.#provider === undefined || !path.startsWith(`${CONNECTORS}/`)) return false;
    const [name = ""] = path.slice(CONNECTORS.length + 1).split("/", 1);
    return this.of(owner).has(name);
  }
}

const VERBS = { list: "list", read: "read", search: "read" } as const;

/** CONNECTORS-1. */
function touchesOf(mount: Connector, request: MountRequest): readonly Touch[] {
  const root = `${CONNECTORS}/${mount.name}`;
  const resource = request.path === "" ? root : `${root}/${request.path}`;
  return [{ kind: "file", resource, verb: VERBS[request.call] }, ...mount.touches(request)];
}

const toolOf = (mount: Connector): Tool => ({
  name: `${PREFIX}${mount.name}`,
  version: "1",
  description: `The files of ${CONNECTORS}/${mount.name}.`,
  source: mount.driver,
  input: {},
  effect: "read",
  egress: mount.egress,
  sinks: () => (mount.egress ? ["egress"] : []),
  label: mount.label,
  touches: (args) => touchesOf(mount, requestOf(args)),
  refuses: (args) => refusalOf(mount, requestOf(args)),
  run: (args, context) => {
    const root = rootOf((args as unknown as MountRequest).path);
    return answered(mount, { root, request: requestOf(args) }, context);
  },
});

function refusalOf(mount: Connector, { call }: { readonly call: string }): string | undefined {
  const at = `${CONNECTORS}/${mount.name}`;
  if (!Object.hasOwn(VERBS, call)) return `${call}: ${at} is read-only, and has no streams`;
  return call === "search" && mount.search === undefined ? `${at} cannot be searched` : undefined;
}

/** The call has the path whole; the connector knows what is below it. */
function requestOf(args: Json): MountRequest {
  const { path, ...rest } = args as unknown as MountRequest;
  const { length } = rootOf(path).split("/");
  return { ...rest, path: path.split("/").slice(length).join("/") };
}

/** The place of the mount as it was asked for: a semantic one has two. */
const rootOf = (path: string): string =>
  path.split("/", path.startsWith(`${CONNECTORS}/`) ? 3 : 4).join("/");

async function answered(
  mount: Connector,
  { root, request }: { readonly root: string; readonly request: MountRequest },
  context: DeviceContext,
): Promise<Json> {
  const whole = (below: string) => (below === "" ? root : `${root}/${below}`);
  try {
    if (request.call === "read") return await mount.read(request, context);
    if (request.call === "list") return listed(request, await mount.list(request, context), whole);
    const { found, next } = await mount.search!(request, context);
    const hits = found.map((one) => ({ ...one, path: whole(one.path) }));
    return request.cursor === undefined ? hits : { found: hits, next };
  } catch (error) {
    throw named(mount, error);
  }
}

/** A page where one was asked for; else all of it, or an error. */
function listed(
  { path, cursor, limit }: MountRequest,
  { paths, next }: MountPage,
  whole: (below: string) => string,
): Json {
  if (cursor !== undefined || limit !== undefined) return { paths: paths.map(whole), next };
  if (next === null) return paths.map(whole);
  throw new SysError("EINVAL", `${whole(path)} has more than one page`, {
    hint: "list it with `limit`, and give `next` of each page as the `cursor` of the one after it",
  });
}

/** CONNECTORS-2. */
function named({ name }: Connector, error: unknown): SysError {
  const at = `${CONNECTORS}/${name}`;
  if (!(error instanceof SysError))
    return new SysError("EUPSTREAM", `${at}: ${error instanceof Error ? error.message : "failed"}`);
  if (!["EUPSTREAM", "ETIMEDOUT"].includes(error.code)) return error;
  return new SysError(error.code, `${at}: ${error.message}`, error);
}
