// Connection: the client of a command. The daemon of this user is started if none is running.

import { createClient, type Client, type FetchLike } from "@aos/client";
import { checkSocketPath } from "@aos/protocol/socket-path";
import { NoDaemon, remoteFetch, socketFetch } from "./daemon-fetch.ts";
import type { Endpoint, RemoteEndpoint } from "./endpoint.ts";
import { withoutPaths } from "./remote-paths.ts";

const BASE = "http://aos";

interface ConnectOptions {
  readonly startsDaemon: boolean;
  readonly note: (text: string) => void;
}

export function connectTo(endpoint: Endpoint, { startsDaemon, note }: ConnectOptions): Client {
  if (endpoint.remote !== undefined) return remoteClient(endpoint.remote, note);
  const direct: FetchLike = async (url, init) => {
    checkSocketPath(endpoint.socket);
    return socketFetch(endpoint.socket)(url, init);
  };
  const starting: FetchLike = async (url, init) => {
    try {
      return await direct(url, init);
    } catch (error) {
      if (!(error instanceof NoDaemon)) throw error;
      if (endpoint.isSystem)
        throw new NoDaemon(endpoint.socket, "start the service: `systemctl start agent-os`");
      const { ensureStarted } = await import("./daemon-process.ts");
      const { findService, startService } = await import("./service/find-service.ts");
      const service = findService(endpoint);
      if (service !== undefined) {
        await startService(service, () => isUp(endpoint));
        note(`started the service of ${endpoint.home}`);
        return direct(url, init);
      }
      const info = await ensureStarted(endpoint, () => isUp(endpoint));
      if (info !== undefined) note(`started the daemon (pid ${info.pid}) on ${endpoint.home}`);
      return direct(url, init);
    }
  };
  return createClient({ fetch: startsDaemon ? starting : direct, baseUrl: BASE });
}

function remoteClient(remote: RemoteEndpoint, note: ConnectOptions["note"]): Client {
  if (!remote.isHere && !remote.url.startsWith("https:"))
    note(`the token and all else travel unencrypted to ${remote.url}`);
  const client = createClient({ fetch: remoteFetch(remote), baseUrl: remote.url });
  return withoutPaths(client, remote);
}

export async function isUp({ socket, remote }: Endpoint): Promise<boolean> {
  const asked =
    remote === undefined
      ? { fetch: socketFetch(socket), baseUrl: BASE }
      : { fetch: remoteFetch(remote), baseUrl: remote.url };
  try {
    await createClient(asked).status();
    return true;
  } catch {
    return false;
  }
}
