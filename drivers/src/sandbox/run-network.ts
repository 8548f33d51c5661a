// Run network: what a run with a proxy sees of it: the socket, the relay, and the certificate authorities to trust.

import { chownSync, closeSync, fstatSync, writeFileSync } from "node:fs";
import { SysError } from "@aos/protocol";
import { AUTHORITIES, PROXY_SOCKET, RELAY_SCRIPT, type Relay } from "./relay.ts";
import type { Confinement } from "./sandbox.ts";
import { openSource, type PlacedMount } from "./sources.ts";
import { systemAuthorities } from "./system-view.ts";
import type { User } from "./users.ts";

type Proxied = Exclude<Confinement["network"], "none">;

export function networkMounts(
  { proxySocket, authorities }: Proxied,
  using: {
    readonly relay: Relay | undefined;
    /** Where the relay's script is on the machine. */
    readonly script: string;
    /** Where the authorities of this run are to be written. */
    readonly bundle: string;
    readonly user: User;
  },
): PlacedMount[] {
  if (using.relay === undefined) {
    throw new SysError("EACCES", "a sandboxed program needs perl or socat to reach its proxy", {
      hint: "install perl or socat",
    });
  }
  letConnect(proxySocket, using.user);
  const mounts: PlacedMount[] = [
    { from: proxySocket, at: PROXY_SOCKET, mode: "read" },
    { from: using.script, at: RELAY_SCRIPT, mode: "read" },
  ];
  if (authorities === undefined) return mounts;
  // Programs take the one file in place of the machine's, so it has both.
  writeFileSync(using.bundle, `${systemAuthorities()}\n${authorities}\n`, { mode: 0o644 });
  return [...mounts, { from: using.bundle, at: AUTHORITIES, mode: "read" }];
}

/** Clients of the socket need write permission; no other user gets it. */
function letConnect(socket: string, { uid, gid }: User): void {
  const fd = openSource(socket);
  try {
    if (!fstatSync(fd).isSocket()) throw new SysError("EINVAL", `${socket} is not a socket`);
    if (process.getuid?.() === 0) chownSync(`/proc/self/fd/${fd}`, uid, gid);
  } finally {
    closeSync(fd);
  }
}
