// A NATS server for tests: the real program, on a port of its own.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, connect, type AddressInfo } from "node:net";
import { natsServer } from "../../scripts/components.ts";

export interface NatsServer {
  readonly url: string;
  kill(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

/** Undefined where there is no such program. */
export async function tryNats(words: readonly string[] = []): Promise<NatsServer | undefined> {
  const command = natsServer();
  if (command === undefined) return undefined;
  const port = await freePort();
  let running: ChildProcess | undefined;
  const server: NatsServer = {
    url: `nats://127.0.0.1:${port}`,
    async kill() {
      if (running === undefined) return;
      const gone = once(running, "exit");
      running.kill("SIGKILL");
      running = undefined;
      await gone;
    },
    async start() {
      running = spawn(command, ["-a", "127.0.0.1", "-p", `${port}`, ...words], { stdio: "ignore" });
      for (const since = Date.now(); !(await answers(port));)
        if (Date.now() - since > 60_000) throw new Error("nats-server did not begin");
    },
  };
  await server.start();
  return server;
}
