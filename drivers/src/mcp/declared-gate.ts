// Declared gate: limits a server to the hosts of its declaration, whoever calls it.
//
// DECLARED-GATE-1  A host is matched by its name and port, never by its address. A non-public address is reachable
//     only if the operator wrote that address, or a name that can mean nothing else.
// DECLARED-GATE-2  A project's server reaches only public addresses.

import { isIP } from "node:net";
import { type DeviceContext, SysError, type Touch } from "@aos/protocol";
import { METHODS } from "../sandbox/proxy/whole-grants.ts";
import { rangeOf } from "../web/address.ts";
import type { UrlTarget } from "../web/url.ts";
import type { McpDeclaration } from "./declaration.ts";

interface Host {
  readonly host: string;
  readonly port: number;
}

const HTTPS = 443;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([1-9][0-9]{0,4}))?$/;

/** `api.example.com`, `api.example.com:8443`, `[::1]:80`; undefined for anything else. */
export function readDeclaredHost(text: string): Host | undefined {
  const [, host, port] = HOST.exec(text) ?? [];
  if (host === undefined) return undefined;
  const number = port === undefined ? HTTPS : Number(port);
  return number < 65_536 ? { host, port: number } : undefined;
}

export const isDeclared = ({ hosts }: McpDeclaration, { host, port }: Host): boolean =>
  hosts.some((written) => {
    const declared = readDeclaredHost(written);
    return declared?.host === host && declared.port === port;
  });

/** Names and addresses of which it is plain that they are not public. */
function isPlainlyPrivate(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  const address = host.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && rangeOf(address) !== undefined;
}

/** The host and the port that a touch is about. */
function hostIn({ resource }: Touch): Host {
  const [, host = "", port = ""] = /^(\[[^\]]*\]|[^:/]*):(\d+)/.exec(resource) ?? [];
  return { host, port: Number(port) };
}

/** DECLARED-GATE-1, DECLARED-GATE-2: asked about every address that is not public. */
export function authorizeAddress(
  declaration: McpDeclaration,
  own: Host | undefined,
  touch: Touch,
): void {
  const there = hostIn(touch);
  const { host, port } = there;
  const isOwn = own?.host === there.host && own.port === there.port;
  if (declaration.isOperators && (isOwn || isDeclared(declaration, there))) return;
  throw new SysError("EACCES", `the MCP server ${declaration.name} may not reach ${host}`, {
    hint: declaration.isOperators
      ? `the address is not public: add "${host}:${port}" to its hosts to allow it`
      : "the address is not public: only the operator can declare such a server, in $AOS_HOME/mcp.yaml",
  });
}

/** DECLARED-GATE-2 for what needs no look-up. */
export function refusePlainlyPrivate(declaration: McpDeclaration, { host, port }: UrlTarget): void {
  if (declaration.isOperators || !isPlainlyPrivate(host)) return;
  authorizeAddress(declaration, undefined, {
    kind: "http",
    resource: `${host}:${port}/`,
    verb: "post",
  });
}

/**
 * What stands in for a process where a stdio server uses the network: it runs for many of them, and each
 * of them was asked for those hosts (server-tools.ts).
 */
export function declaredContext(declaration: McpDeclaration, signal: AbortSignal): DeviceContext {
  const permits = (touch: Touch): boolean => {
    const there = hostIn(touch);
    if (touch.kind !== "http" || !isDeclared(declaration, there)) return false;
    return declaration.isOperators || !isPlainlyPrivate(there.host);
  };
  const refuse = (what: string) =>
    new SysError("EACCES", `the MCP server ${declaration.name} may not ${what}`);
  return {
    pid: `mcp.${declaration.name}`,
    tenant: "",
    tree: "",
    workspace: { isCow: false },
    hasRead: { integrity: "trusted", secrecy: "public" },
    signal,
    key: "",
    permits,
    authorize: (touch) => {
      if (!permits(touch)) throw refuse(`reach ${touch.resource}`);
    },
    progress: () => {},
    granted: (kind) =>
      kind === "http"
        ? declaration.hosts.map((host) => ({ pattern: `${host}/**`, verbs: METHODS }))
        : [],
    mayWriteBelow: async () => {},
    labelsBelow: async () => undefined,
    sees: () => {},
    wroteBelow: async () => {},
    heldBy: () => {},
    label: () => {},
    ask: async () => {
      throw refuse("ask anybody");
    },
    secret: () => {
      throw refuse("use secrets on its way out");
    },
  };
}
