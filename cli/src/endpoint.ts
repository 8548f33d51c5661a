// The endpoint of the daemon: this user's own, by the two variables that the daemon itself reads, or a remote one, by
// address and token.

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { SysError } from "@aos/protocol/words";

export interface Endpoint {
  readonly home: string;
  readonly socket: string;
  /** A daemon elsewhere; the home and the socket are then nobody's. */
  readonly remote?: RemoteEndpoint;
}

export interface RemoteEndpoint {
  readonly url: string;
  readonly token: string;
  /** It is on this machine, and a path of here is one of there. */
  readonly isHere: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

export function endpointOf(env: Env): Endpoint {
  const home = resolve(env["AOS_HOME"] || join(homedir(), ".aos"));
  const socket = resolve(env["AOS_SOCKET"] || join(home, "aos.sock"));
  return env["AOS_URL"]
    ? { home, socket, remote: remoteOf(env["AOS_URL"], env) }
    : { home, socket };
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
