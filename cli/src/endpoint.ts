// The endpoint of the daemon: this user's own, by the two variables that the daemon itself reads; the system's; or a
// remote one, by address and token.
//
// ENDPOINT-1  The system's daemon is used by users who may open its socket, unless they name another daemon or their
//     own is running.
// ENDPOINT-2  While it is stopped it is still the daemon of root and of its operators, unless they have a home of
//     their own: `aos up` after `aos down` is the same daemon.

import { join, resolve } from "node:path";
import { SysError } from "@aos/protocol/failures";

export interface Endpoint {
  readonly home: string;
  readonly socket: string;
  /** A daemon elsewhere; the home and the socket are then nobody's. */
  readonly remote?: RemoteEndpoint;
  /** The service of this machine: it is started and stopped by whoever administers it. */
  readonly isSystem?: true;
}

export interface RemoteEndpoint {
  readonly url: string;
  readonly token: string;
  /** It is on this machine, and a path of here is one of there. */
  readonly isHere: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where a package of the distribution has its daemon; only root can make something there. */
export const SYSTEM_SOCKET = "/run/aos/aos.sock";

interface SystemService {
  readonly socket: string;
  readonly unit: string;
  /** Of users and their groups. */
  readonly groups: string;
}
const SYSTEM: SystemService = {
  socket: SYSTEM_SOCKET,
  unit: "/lib/systemd/system/agent-os.service",
  groups: "/etc/group",
};
const OPERATORS = "aos-operators";

export function endpointOf(env: Env, system = SYSTEM): Endpoint {
  const home = resolve(env["AOS_HOME"] || join(homeFolder(), ".aos"));
  const socket = resolve(env["AOS_SOCKET"] || join(home, "aos.sock"));
  if (env["AOS_URL"]) return { home, socket, remote: remoteOf(env["AOS_URL"], env) };
  const isChosen = Boolean(env["AOS_HOME"] || env["AOS_SOCKET"]);
  if (isChosen || mayOpen(socket)) return { home, socket };
  if (!mayOpen(system.socket) && !(isStopped(system) && !isThere(home) && isOperator(system)))
    return { home, socket };
  return { home, socket: system.socket, isSystem: true }; // ENDPOINT-1
}

/** ENDPOINT-2. */
const isStopped = ({ unit, socket }: SystemService): boolean => isThere(unit) && !isThere(socket);

function isOperator({ groups }: SystemService): boolean {
  if (process.getuid?.() === 0) return true;
  try {
    const text = process.getBuiltinModule("node:fs").readFileSync(groups, "utf8");
    const gid = new RegExp(`^${OPERATORS}:[^:]*:(\\d+):`, "m").exec(text)?.[1];
    return gid !== undefined && process.getgroups?.().includes(Number(gid)) === true;
  } catch {
    return false;
  }
}

const isThere = (path: string): boolean => process.getBuiltinModule("node:fs").existsSync(path);

// Modules of Node by name and not by `import`, which asks a module for all that it exports: of `fs` that loads streams,
// promises and watchers.
const homeFolder = (): string => process.getBuiltinModule("node:os").homedir();

function mayOpen(path: string): boolean {
  const { accessSync, constants } = process.getBuiltinModule("node:fs");
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function remoteOf(text: string, env: Env): RemoteEndpoint {
  const token = env["AOS_TOKEN"]?.trim();
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") {
    throw new SysError(
      "EINVAL",
      `AOS_URL is not the address of a daemon: ${JSON.stringify(text)}`,
      {
        hint: "write it like http://127.0.0.1:4040, or unset it to use the local daemon",
      },
    );
  }
  if (!token || !/^[\x21-\x7e]+$/.test(token)) {
    throw new SysError(
      "EINVAL",
      `AOS_URL is set, but AOS_TOKEN ${token ? "is not a token" : "is not set"}`,
      {
        hint: "create one on the daemon's machine with `aos token create --role viewer`, or unset AOS_URL to use the local daemon",
      },
    );
  }
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return { url: url.href, token, isHere };
}
