// Dial: connects to one of the checked addresses. It uses no agent, no proxy of the environment, and no pooled
// connection.

import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SysError } from "@aos/protocol";
import type { UrlTarget } from "./url.ts";

/** Opens a connection to an address; it may not be connected yet. */
export type Dial = (address: string, target: UrlTarget) => Socket;

export interface Trust {
  /** Certificates to trust in place of the well-known ones. */
  readonly ca?: string | readonly string[];
}

export const dialBy =
  ({ ca }: Trust): Dial =>
  (address, { scheme, host, port }) => {
    if (scheme === "http") return connect({ host: address, port });
    return connectTls({
      host: address,
      port,
      // The certificate must be for the name that was asked for. An address has no name to send.
      ...(isIP(host.replace(/^\[|\]$/g, "")) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["http/1.1"],
      // Said here, because the environment could say otherwise.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
    });
  };

export interface DialOptions {
  readonly dial: Dial;
  /** How long one address has. */
  readonly connectMs: number;
}

/** Tries one address after the other. */
export async function connectFirst(
  addresses: readonly string[],
  target: UrlTarget,
  { dial, connectMs }: DialOptions,
  signal: AbortSignal,
): Promise<Socket> {
  let trouble: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
      return await connected(dial(address, target), target, patience);
    } catch (error) {
      signal.throwIfAborted();
      trouble = error;
    }
  }
  const { code, message } = trouble as NodeJS.ErrnoException;
  throw new SysError("EUPSTREAM", `cannot connect to ${target.origin}: ${code ?? message}`);
}

function connected(socket: Socket, { scheme }: UrlTarget, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const stop = () => socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  socket.once("error", reject);
  socket.once(scheme === "https" ? "secureConnect" : "connect", () => resolve(socket));
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
