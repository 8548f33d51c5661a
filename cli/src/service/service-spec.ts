// Service spec: the command and environment of the service, independent of the service manager.

import { fileURLToPath } from "node:url";
import { SysError } from "@aos/protocol/words";
import type { Endpoint } from "../endpoint.ts";
import { HEAP_FLAGS } from "../heap-flags.ts";

/** A service of one user's session, or of the machine. */
export type ServiceScope = "user" | "system";

export interface ServiceSpec {
  readonly scope: ServiceScope;
  /** The daemon itself, not `aos up`, which would ask the service. */
  readonly command: readonly string[];
  readonly home: string;
  readonly socket: string;
  /** Whom a service of the machine runs as. */
  readonly user?: string;
}

const MAIN = fileURLToPath(new URL("../../../daemon/bin/daemon.mjs", import.meta.url));

export const serviceSpec = (
  { home, socket }: Endpoint,
  scope: ServiceScope,
  user: string | undefined,
): ServiceSpec => ({
  scope,
  command: [process.execPath, "--disable-warning=ExperimentalWarning", ...HEAP_FLAGS, MAIN],
  home,
  socket,
  ...(user !== undefined && { user }),
});

/** No service file can hold a line break in a value, and no path of ours has one. */
export function refuseControlCharacters(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (!/[\x00-\x1f\x7f]/.test(text)) return text;
  throw new SysError("EINVAL", `a path with control characters: ${JSON.stringify(text)}`, {
    hint: "choose another AOS_HOME, or install Agent OS elsewhere",
  });
}
