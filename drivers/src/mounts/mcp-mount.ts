// MCP mount: the resources of an MCP server below /mnt/NAME.
//
//   demo://notes/today    demo/notes/today        a URI with `://` and plain names
//   urn:isbn:1            urn%3Aisbn%3A1          any other, encoded, as one name
//
// MCP-MOUNT-1  A server gives nobody power: a call needs the secrets and hosts of the server as its tools do, and for a
//     mount of a manifest the right to `mcp.SERVER.resources`.
// MCP-MOUNT-2  What the server says of labels, sizes and pages is not believed: the mount has the label, and a list and
//     an answer have limits.
// MCP-MOUNT-3  A URI that cannot be a plain path here is left out of lists.

import {
  SysError,
  type Connector,
  type DeviceContext,
  type Json,
  type MountRequest,
  type Touch,
} from "@aos/protocol";
import type { FindResources, ResourceContent, ResourceServer } from "../mcp/server-resources.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  pageOfPaths,
  pieceOfText,
  type DeclaredMount,
} from "./connector.ts";

type McpDeclaration = Extract<DeclaredMount["declaration"], { driver: "mcp" }>;

const MOST_PAGES = 100;
const MOST_URIS = 20_000;

export function mcpMount(declared: DeclaredMount<McpDeclaration>, find: FindResources): Connector {
  const { server: name } = declared.declaration;
  const found = (): ResourceServer => {
    const server = find(name);
    if (server !== undefined) return server;
    throw new SysError("EUPSTREAM", `unknown MCP server ${name}`, {
      hint: "`aos mcp ls` lists the servers of mcp.yaml",
    });
  };
  const right = { kind: "tool", resource: `mcp.${name}.resources`, verb: "call" } as const;
  /** MCP-MOUNT-1. */
  const declaredTouches = (): readonly Touch[] => [right, ...(find(name)?.touches ?? [])];
  return connector(declared, {
    target: `MCP server ${name}`,
    egress: true,
    covers: (touch) => touch.kind !== "secret" && declaredTouches().some(isSame(touch)),
    needs: declaredTouches,
    async list(request, context) {
      const uris = await allUris(found(), context);
      const below = request.path === "" ? "" : `${request.path}/`;
      const paths = uris.flatMap((uri) => pathOfUri(uri) ?? []);
      return pageOfPaths(
        [...new Set(paths)].filter((path) => path.startsWith(below)).sort(),
        request,
      );
    },
    async read(request, context) {
      return shown(await found().read(uriOfPath(request.path), context), request);
    },
  });
}

const isSame =
  (one: Touch) =>
  ({ kind, resource, verb }: Touch): boolean =>
    kind === one.kind && resource === one.resource && verb === one.verb;

/** MCP-MOUNT-2. */
async function allUris(server: ResourceServer, context: DeviceContext): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await server.list(cursor, context);
    uris.push(...listed.uris.slice(0, MOST_URIS));
    cursor = listed.next;
    if (cursor === undefined) return uris;
    if (uris.length > MOST_URIS) break;
    context.signal.throwIfAborted();
  }
  throw new SysError("EUPSTREAM", `the server lists more than ${MOST_URIS} resources`);
}

/** MCP-MOUNT-3. */
export function pathOfUri(uri: string): string | undefined {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/.exec(uri) ?? [];
  const path = rest === undefined ? undefined : `${scheme}/${rest}`;
  if (path !== undefined && path.split("/").every(isPlainName)) return path;
  try {
    const encoded = encodeURIComponent(uri);
    return isPlainName(encoded) ? encoded : undefined;
  } catch {
    return undefined; // half a character
  }
}

export function uriOfPath(path: string): string {
  const slash = path.indexOf("/");
  if (slash > 0) return `${path.slice(0, slash)}://${path.slice(slash + 1)}`;
  try {
    const uri = decodeURIComponent(path);
    if (uri.includes(":")) return uri;
  } catch {
    // It is no encoded URI.
  }
  throw new SysError("EINVAL", path === "" ? "it is a folder: list it" : `${path} is no resource`);
}

/** MCP-MOUNT-2. */
function shown(contents: readonly ResourceContent[], request: MountRequest): Json {
  const size = contents.reduce(
    (sum, { text = "", blob = "" }) => sum + text.length + blob.length,
    0,
  );
  if (size > MOST_BYTES)
    throw new SysError("EINVAL", `${request.path} has more than ${MOST_BYTES} bytes`);
  const [only] = contents;
  if (only === undefined) return null;
  if (contents.length === 1) return valueOf(only, request);
  return contents.map((one) => ({ uri: one.uri, data: valueOf(one, {}) }));
}

const valueOf = (
  { text, blob }: ResourceContent,
  request: Pick<MountRequest, "offset" | "length">,
): Json =>
  text === undefined ? { base64: blob ?? "" } : pieceOfText(text, request as MountRequest);
