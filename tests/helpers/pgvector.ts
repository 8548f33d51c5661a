// A PostgreSQL with pgvector for tests: PGlite, which is PostgreSQL and the extension compiled to WebAssembly, behind
// a port of this machine. It has one session: a connection waits for the end of the one before.
//
//   const server = await startPgvector()
//   await server.execute("CREATE TABLE …")
//   await server.stop()

import { createServer, type AddressInfo, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";

export interface PgvectorServer {
  readonly port: number;
  readonly execute: (sql: string) => Promise<Record<string, unknown>[]>;
  /** How many connections were opened to it. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
}

const SSL_REQUEST = 80_877_103;
const TERMINATE = "X".codePointAt(0);

export async function startPgvector(): Promise<PgvectorServer> {
  const database = await PGlite.create({ extensions: { vector } });
  await database.exec("CREATE EXTENSION vector");
  const sockets = new Set<Socket>();
  let connections = 0;
  let before: Promise<void> = Promise.resolve(); // of the connections so far
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    before = serve(database, socket, before).then(() => void sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async execute(sql) {
      await before;
      return (await database.query<Record<string, unknown>>(sql)).rows;
    },
    connections: () => connections,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
}

/** Messages of the wire protocol, whole and in order. What it answers with is settled once the connection is over. */
function serve(database: PGlite, socket: Socket, before: Promise<void>): Promise<void> {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let work = before;
  const follow = (next: () => Promise<void>): void => {
    work = afterwards(work, next);
  };
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      if (!isStarted && message.readInt32BE(4) === SSL_REQUEST) socket.write("N");
      else if (isStarted && message[0] === TERMINATE) socket.end();
      else {
        isStarted = true;
        follow(async () => void socket.write(await database.execProtocolRaw(message)));
      }
    }
  });
  return new Promise((resolve) =>
    socket.on("close", () => {
      follow(async () => void (await database.exec("ROLLBACK"))); // as a server does with what is left
      void work.then(resolve);
    }),
  );
}

/** A failure is the end of that step, and not of the next. */
async function afterwards(before: Promise<void>, next: () => Promise<void>): Promise<void> {
  await before;
  await next().catch(() => {});
}
