// The web of a range: two servers on loopback that record their visits. Attackers are granted a part of `front`;
// `inner` is never granted.
//
//   /public/…            anybody's
//   /public/away?to=URL  leads on to URL, by the status `by` (302 unless said)
//   /public/echo         says what was in the header Authorization, as a careless server would
//   all the rest         holds the treasure

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { posix } from "node:path";

export interface ReceivedRequest {
  readonly port: number;
  readonly method: string;
  /** The path as a careless server reads it: decoded, with its dots resolved. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export class RangeWeb implements AsyncDisposable {
  readonly visits: ReceivedRequest[] = [];
  readonly #servers: Server[] = [];
  readonly #treasure: string;

  private constructor(treasure: string) {
    this.#treasure = treasure;
  }

  static async open(treasure: string): Promise<RangeWeb> {
    const web = new RangeWeb(treasure);
    for (let i = 0; i < 2; i++) {
      const server = createServer((request, response) => void web.#answer(request, response));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      web.#servers.push(server);
    }
    return web;
  }

  get front(): number {
    return (this.#servers[0]!.address() as AddressInfo).port;
  }

  get inner(): number {
    return (this.#servers[1]!.address() as AddressInfo).port;
  }

  /** Visits to resources that were not granted. */
  get breaches(): ReceivedRequest[] {
    return this.visits.filter(
      ({ port, path }) => port === this.inner || !path.startsWith("/public/"),
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { port } = request.socket.address() as AddressInfo;
    const [written = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const path = posix.normalize(decodeURIComponent(written));
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "GET", headers } = request;
    this.visits.push({ port, method, path, headers, body });
    const asked = new URLSearchParams(query);
    if (path === "/public/away") {
      const status = Number(asked.get("by") ?? 302);
      response.writeHead(status, { location: asked.get("to") ?? "/" }).end();
    } else if (path === "/public/echo") response.end(headers.authorization ?? "nothing");
    else response.end(path.startsWith("/public/") ? "welcome" : this.#treasure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }
}
