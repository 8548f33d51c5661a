// ProxyContext: the state that all connections of one run share.

import { type DeviceContext, SysError } from "@aos/protocol";
import type { ReachOptions } from "../../web/reach.ts";
import type { CertificateAuthority } from "./authority.ts";
import type { Placeholders } from "./placeholders.ts";
import type { ProxyLog } from "./proxy-log.ts";

export interface ProxyLimits {
  /** Of one request's body. */
  readonly requestBytes: number;
  /** Of one answer's body; of a tunnel that is passed on, each way. */
  readonly responseBytes: number;
  /** Connections of the run to the proxy, and requests and tunnels under way, each. */
  readonly connections: number;
  /** How long nothing may happen on a connection to a host. */
  readonly idleMs: number;
}

export const proxyLimits: ProxyLimits = {
  requestBytes: 1_073_741_824,
  responseBytes: 8_589_934_592,
  connections: 128,
  idleMs: 300_000,
};

/** Longer, so that a program is told that its host says nothing. */
export const programIdleMs = ({ idleMs }: ProxyLimits): number => 2 * idleMs;

export interface ProxyContext {
  readonly context: DeviceContext;
  readonly means: Omit<ReachOptions, "signal">;
  readonly authority: CertificateAuthority;
  readonly placeholders: Placeholders;
  readonly limits: ProxyLimits;
  readonly visits: ProxyLog;
  /** One more under way; gives what ends it, to be called once. Throws EAGAIN when there are too many. */
  enter(): () => void;
}

export function countingContext(most: number): ProxyContext["enter"] {
  let inside = 0;
  return () => {
    if (inside >= most)
      throw new SysError("EAGAIN", `more than ${most} concurrent requests of one run`);
    inside += 1;
    return () => void (inside -= 1);
  };
}
