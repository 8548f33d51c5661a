// Connection: the client of a command, which starts a daemon when it finds none.

import { createClient, type Client, type FetchLike } from "@aos/client";
import { checkSocketPath } from "@aos/protocol/words";
import { ensureStarted } from "./daemon-process.ts";
import type { Place } from "./place.ts";
import { NoDaemon, socketFetch } from "./socket-fetch.ts";

const BASE = "http://aos";

export function connectTo(
  place: Place,
  options: { startsDaemon: boolean; note: (text: string) => void },
): Client {
  const direct: FetchLike = async (url, init) => {
    checkSocketPath(place.socket);
    return socketFetch(place.socket)(url, init);
  };
  const starting: FetchLike = async (url, init) => {
    try {
      return await direct(url, init);
    } catch (error) {
      if (!(error instanceof NoDaemon)) throw error;
      const info = await ensureStarted(place, () => isUp(place));
      if (info !== undefined) options.note(`started the daemon (pid ${info.pid}) on ${place.home}`);
      return direct(url, init);
    }
  };
  return createClient({ fetch: options.startsDaemon ? starting : direct, baseUrl: BASE });
}

export async function isUp(place: Place): Promise<boolean> {
  try {
    await createClient({ fetch: socketFetch(place.socket), baseUrl: BASE }).status();
    return true;
  } catch {
    return false;
  }
}
