// Cutting proxy: a way to a PostgreSQL that is cut once, in the middle of the request that has a given text in it.
//
//   unheard      the server gets a part of the request: nothing of it happens
//   unanswered   the server does what is asked, and its answer is not passed on

import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Cut = "unheard" | "unanswered";

export interface CuttingProxy {
  /** The same database, by way of the proxy. */
  readonly url: string;
  /** Cuts the connection on which this text comes next; resolves when it is cut. */
  readonly cutAt: (text: string, cut: Cut) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The server waits for the next statement, and is in no transaction. */
const READY = Buffer.from("Z\0\0\0\x05I", "latin1");

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let next: { text: string; cut: Cut; done: () => void } | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isCutting = false;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        open.delete(socket);
        end();
      });
    }
    client.on("data", (bytes) => {
      if (isCutting) return;
      const at = next === undefined ? -1 : bytes.indexOf(next.text);
      if (next === undefined || at < 0) return void upstream.write(bytes);
      const { cut, done } = next;
      next = undefined;
      isCutting = true;
      if (cut === "unanswered") {
        let said = Buffer.alloc(0);
        upstream.removeAllListeners("data");
        upstream.on("data", (answer) => {
          said = Buffer.concat([said, answer]);
          if (!said.includes(READY)) return;
          end();
          done();
        });
        upstream.write(bytes);
      } else {
        upstream.write(bytes.subarray(0, at));
        setImmediate(() => {
          end();
          done();
        });
      }
    });
    upstream.on("data", (bytes) => void client.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const way = new URL(url);
  way.port = String((server.address() as AddressInfo).port);
  return {
    url: way.href,
    cutAt: (text, cut) =>
      new Promise((resolve) => {
        next = { text, cut, done: resolve };
      }),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
