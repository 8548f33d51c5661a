// Caller: the identity behind a request. The owner of the socket is an operator; over the network the token or the
// session of the page decides.
//
//   callerOf(context)          the caller, in a route of one's own
//   requireRole(context, …)    the same, or a thrown refusal
//
// CALLER-1  Only the gateway creates callers: a route that is reached without one fails.

import { userInfo } from "node:os";
import type { Duplex } from "node:stream";
import { hasRole, SysError, type ProcessId, type Role } from "@aos/protocol";
import type { Context } from "hono";
import type { StreamLimit } from "./stream-limit.ts";

export type Transport = "socket" | "network";

export interface Caller {
  readonly role: Role;
  /** Null: of all tenants. */
  readonly tenant: string | null;
  /** Whose word it is. */
  readonly name: string;
  /** What limits and keys are counted by; a token and the sessions that it opened have the same. */
  readonly id: string;
  readonly transport: Transport;
  /** Aborted when it is nobody any more: revoked, or its time is over. */
  readonly gone: AbortSignal;
}

/** Who may go on as a WebSocket, and to what. */
export interface AdmittedSocket {
  readonly caller: Caller;
  readonly pid: ProcessId;
  readonly after: number | undefined;
  /** Called when the connection is over. */
  readonly release: () => void;
}

export interface ConnectionUpgrade {
  /** As a WebSocket. */
  admit?: AdmittedSocket;
  /** As a connection of its own; whoever takes it answers it, too. */
  take?: (socket: Duplex, head: Buffer) => void;
}

/** What a request brings along, and what the gateway found out. */
export interface GatewayEnv {
  Bindings: {
    /** Which listener it came through; one that says nothing is taken for the network. */
    readonly transport?: Transport;
    /** It asks to go on as something else than HTTP; whoever lets it says so here. */
    readonly upgrade?: ConnectionUpgrade;
    readonly incoming?: {
      readonly url?: string | undefined;
      readonly socket: { readonly remoteAddress?: string | undefined };
    };
  };
  Variables: { caller?: Caller; streams?: StreamLimit };
}

const never = new AbortController().signal;

/** In a container the user often has a number and no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

export const socketCaller = (): Caller => {
  const username = nameOfUser();
  return {
    role: "operator",
    tenant: null,
    name: username,
    id: `user:${username}`,
    transport: "socket",
    gone: never,
  };
};

/** Without a listener there are none at all. */
export const requestBindings = (env: GatewayEnv["Bindings"] | undefined): GatewayEnv["Bindings"] =>
  env ?? {};

export const transportOf = ({ env }: Context<GatewayEnv>): Transport =>
  requestBindings(env).transport ?? "network";

/** CALLER-1. */
export function callerOf(context: Context<GatewayEnv>): Caller {
  const caller = context.get("caller");
  if (caller === undefined) throw new SysError("EACCES", "the caller is not authenticated");
  return caller;
}

/** One more event stream of the caller's (stream-limit.ts); call what it returns when it is over. */
export const takeStream = (context: Context<GatewayEnv>): (() => void) =>
  context.get("streams")?.take({ ...callerOf(context), transport: transportOf(context) }) ??
  (() => {});

export function requireRole(context: Context<GatewayEnv>, least: Role): Caller {
  const caller = callerOf(context);
  if (hasRole(caller.role, least)) return caller;
  throw new SysError(
    "EACCES",
    `this operation needs the role ${least}, but ${caller.name} has the role ${caller.role}`,
    {
      hint: `create a token with that role: aos token create --role ${least}`,
    },
  );
}
