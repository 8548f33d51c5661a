// A small web for tests: real servers on the loopback, under names with addresses of the public
// internet. Only the last step, the connection to such an address, leads to the servers instead.

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import type { EgressOptions } from "../../../drivers/src/web/egress.ts";

interface Seen {
  readonly host: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** How a site answers: requests, or bytes as they come. */
type Site = RequestListener | { readonly raw: (socket: Socket) => void };

export interface WebForTest extends AsyncDisposable {
  readonly seen: Seen[];
  readonly dialled: string[];
  readonly options: Required<Pick<EgressOptions, "resolve" | "dial">>;
  /** Where a site really listens. */
  port(host: string): number;
}

export async function webForTest(sites: Readonly<Record<string, Site>>): Promise<WebForTest> {
  const seen: Seen[] = [];
  const dialled: string[] = [];
  const names = Object.keys(sites);
  const addressOf = (host: string): string => `93.184.216.${names.indexOf(host) + 1}`;
  const servers = await Promise.all(
    names.map(async (host) => {
      const site = sites[host]!;
      const server: Server =
        "raw" in site ? createTcpServer(site.raw) : createServer(recording(site, seen));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const port = (host: string): number =>
    (servers[names.indexOf(host)]!.address() as { port: number }).port;
  return {
    seen,
    dialled,
    port,
    options: {
      resolve: async (host) => (names.includes(host) ? [addressOf(host)] : []),
      dial: (address) => {
        dialled.push(address);
        const host = names.find((name) => addressOf(name) === address);
        if (host === undefined) throw new Error(`${address} is not in this web`);
        return connect({ host: "127.0.0.1", port: port(host) });
      },
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        servers.map(async (server) => {
          const closed = once(server, "close");
          server.close();
          if ("closeAllConnections" in server) (server.closeAllConnections as () => void)();
          await closed;
        }),
      );
    },
  };
}

const recording =
  (site: RequestListener, seen: Seen[]): RequestListener =>
  async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", url = "", headers } = request;
    seen.push({ host: headers.host ?? "", method, url, headers, body });
    site(request, response);
  };
