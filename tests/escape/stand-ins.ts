// Stand-ins: what the network attempts try to reach, all on this machine's loopback, and a proxy without
// any care. With that one every attempt gets through, so that it could.
//
//   inner     what nobody may reach: says REACHED inner
//   outer     a site of the internet: says HELLO to whom it is meant for, and REACHED to others
//   naive     a proxy that repairs what it is given, looks a name up twice, and passes on everything

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, createServer, type Server, type Socket } from "node:net";
import { createAuthority } from "@aos/drivers/sandbox";

export const REACHED = "REACHED";

export interface StandIns extends AsyncDisposable {
  readonly ports: Readonly<Record<"inner" | "outer" | "secure" | "naive" | "datagram", number>>;
  /** Vouches for `secure`, as the well-known authorities do for the internet. */
  readonly authority: string;
}

const world = createAuthority();

export async function standIns(sockets: readonly string[]): Promise<StandIns> {
  const inner = createHttpServer((_, response) => void response.end(`${REACHED} inner`));
  const ports = { inner: await listen(inner), outer: 0, secure: 0, naive: 0, datagram: 0 };
  const outer = createHttpServer(site(ports));
  const secure = createHttpsServer(
    { SNICallback: (name: string, done: Done) => done(null, world.contextFor(name)) } as object,
    site(ports),
  );
  ports.outer = await listen(outer);
  ports.secure = await listen(secure);
  const naive = createServer((client) => void passEverything(client, ports));
  ports.naive = await listen(naive);
  const datagram = createSocket("udp4", (_text, from) =>
    datagram.send(`${REACHED} by datagram`, from.port, from.address),
  );
  datagram.bind(0, "127.0.0.1");
  await once(datagram, "listening");
  ports.datagram = datagram.address().port;
  const local = sockets.map((path) =>
    createServer((client) => void client.end(`${REACHED} by a socket\n`)).listen(path),
  );
  await Promise.all(local.map((server) => once(server, "listening")));
  return {
    ports,
    authority: world.certificate,
    [Symbol.asyncDispose]: async () => {
      datagram.close();
      for (const server of [inner, outer, secure, naive, ...local]) server.close();
      for (const server of [inner, outer, secure]) server.closeAllConnections();
    },
  };
}

type Done = (error: null, context: unknown) => void;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

const OPEN_TO_ALL = new Set(["allowed.example", "whole.example", "rebind.example"]);

const site =
  (ports: { readonly inner: number }): RequestListener =>
  (request, response) => {
    const host = request.headers.host ?? "";
    if (host === "redirect.example")
      return void response.writeHead(302, { location: `http://127.0.0.1:${ports.inner}/` }).end();
    if (host === "limited.example" && request.method === "GET" && request.url === "/open")
      return void response.end("HELLO");
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () =>
      response.end(OPEN_TO_ALL.has(host) ? `HELLO ${text}` : `${REACHED} ${host}`),
    );
  };

async function passEverything(client: Socket, ports: StandIns["ports"]): Promise<void> {
  client.on("error", () => client.destroy());
  let head = "";
  while (!head.includes("\r\n\r\n")) head += String((await once(client, "data"))[0] as Buffer);
  client.pause();
  const [, method = "", wanted = ""] = /^(\S+) ([^ ]+)/.exec(head) ?? [];
  if (method === "CONNECT") {
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    const early = head.slice(head.indexOf("\r\n\r\n") + 4); // said before it was asked to
    const [first] = (early === "" ? await once(client.resume(), "data") : [Buffer.from(early)]) as [
      Buffer,
    ];
    client.pause();
    const isInner = isInside(wanted.replace(/:\d+$/, ""));
    const port = first[0] === 0x16 ? ports.secure : isInner ? ports.inner : ports.outer;
    return join(client, connect(port, "127.0.0.1"), first);
  }
  const [, authority = "", path = ""] = /^\w+:\/\/([^/]*)(.*)$/.exec(wanted) ?? [];
  const host = authority.split("@").at(-1)!.split("\0", 1)[0]!;
  const said = /\r\nhost: *([^\r]*)/i.exec(head)?.[1] ?? host;
  const sent = host === "allowed.example" ? said : host;
  const [lines = "", body = ""] = head.split("\r\n\r\n");
  const others = lines
    .split("\r\n")
    .slice(1)
    .filter((line) => !/^(host|connection):/i.test(line));
  const text = [`${method} ${path} HTTP/1.1`, `Host: ${sent}`, ...others, "Connection: close"];
  const port = isInside(host) ? ports.inner : ports.outer;
  join(client, connect(port, "127.0.0.1"), Buffer.from(`${text.join("\r\n")}\r\n\r\n${body}`));
}

/** As the URL standard repairs a host, and names that lead inside when they are looked up again. */
function isInside(host: string): boolean {
  const repaired = URL.parse(`http://${host}/`)?.hostname ?? host;
  return (
    /^(127\.|169\.254\.|10\.|0\.0\.0\.0|localhost|\[::)/.test(repaired) ||
    ["rebind.example", "inside.example", "metadata.example"].includes(repaired)
  );
}

function join(client: Socket, server: Socket, first: Buffer): void {
  server.on("error", () => client.destroy());
  server.write(first);
  client.pipe(server);
  server.pipe(client);
}
