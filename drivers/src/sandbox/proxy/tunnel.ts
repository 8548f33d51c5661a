// Tunnel: what a program asks for with CONNECT. Its bytes are passed on unread only where the process may
// do everything at that host (raw-tunnel.ts); everywhere else the proxy stands in for the host, reads each
// request, and asks the gate about it like about any other.
//
// TUNNEL-1  The first bytes are TLS for exactly the host that the tunnel was asked for. On another port
//     than 443 they may be HTTP, which is then carried request by request. Anything else ends the tunnel.
// TUNNEL-2  Opened: TLS with a certificate of ours, and HTTP/1.1 in it; each request is carried
//     (carry.ts).
// TUNNEL-3  A hello that may hide another name is never passed on: it is opened.

import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { SysError } from "@aos/protocol";
import { networkFailure } from "../../web/reach.ts";
import type { UrlTarget } from "../../web/url.ts";
import { hostOfTarget, refusalAnswer } from "./carry.ts";
import { type ClientHello, HANDSHAKE, readClientHello } from "./client-hello.ts";
import { type ProxyContext, programIdleMs } from "./proxy-context.ts";
import { openRawTunnel, type RawTunnel, relayBytes } from "./raw-tunnel.ts";
import { readTunnelHead } from "./request-head.ts";

/** Takes a connection with requests for one origin. */
export type TunnelHandler = (connection: Socket, origin: string) => void;

const HTTPS = 443;
/** A fatal alert: access denied. */
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 49]);

export async function openTunnel(
  incoming: IncomingMessage,
  client: Socket,
  outlet: ProxyContext,
  inside: TunnelHandler,
): Promise<void> {
  const { visits, limits } = outlet;
  const stopped = new AbortController();
  client.once("close", () =>
    stopped.abort(new SysError("EINTR", "the program closed the connection")),
  );
  client.on("error", () => client.destroy());
  client.setTimeout(programIdleMs(limits), () => client.destroy());
  const { signal } = stopped;
  let host = "";
  let speaksTls = false;
  let passage: RawTunnel | undefined;
  let leave = () => {};
  try {
    leave = outlet.enter();
    const target = readTunnelHead(incoming);
    host = hostOfTarget(target);
    passage = await openRawTunnel(target, outlet, signal).catch((error: unknown) => {
      throw networkFailure(signal.aborted ? signal.reason : error, target);
    });
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");

    const first = await moreOf(client);
    speaksTls = first[0] === HANDSHAKE;
    if (!speaksTls) {
      checkPlain(first, target);
      client.unshift(first);
      return inside(client, new URL(`http://${target.host}:${target.port}`).origin);
    }
    const hello = await readHello(client, first);
    checkName(hello.name, target);
    if (passage === undefined || hello.hidesName)
      return inside(await opened(client, target, outlet, signal), target.origin);
    visits.note(host, "connect", 200);
    await relayBytes(client, passage, limits, signal);
  } catch (error) {
    if (!(error instanceof SysError)) return void client.destroy();
    const status = visits.noteFailure(host, "connect", error);
    client.end(speaksTls ? ALERT : refusalAnswer(status, error));
  } finally {
    passage?.socket.destroy();
    leave();
  }
}

async function moreOf(client: Socket): Promise<Buffer> {
  for (;;) {
    const bytes = client.read() as Buffer | null;
    if (bytes !== null) return bytes;
    if (client.destroyed || client.readableEnded)
      throw new SysError("EINTR", "the program closed the connection");
    const woken = new AbortController();
    const { signal } = woken;
    await Promise.race(
      ["readable", "end", "close"].map((event) => once(client, event, { signal })),
    ).finally(() => woken.abort());
  }
}

/** A method's name. On 443 a program believes that it speaks to a secure server, and must. */
function checkPlain(bytes: Buffer, { port }: UrlTarget): void {
  if (port === HTTPS || !/^[A-Z]/.test(bytes.toString("latin1", 0, 1)))
    throw new SysError("EACCES", "the tunnel is refused: its bytes are not TLS");
}

/** The bytes are left to be read again. */
async function readHello(client: Socket, first: Buffer): Promise<ClientHello> {
  let bytes = first;
  for (;;) {
    const hello = readClientHello(bytes);
    if (hello !== undefined) {
      client.unshift(bytes);
      return hello;
    }
    bytes = Buffer.concat([bytes, await moreOf(client)]);
  }
}

/** An address may go without a name: TLS has none for it. */
function checkName(name: string | undefined, { host }: UrlTarget): void {
  const written = host.replace(/^\[|\]$/g, "");
  if (name === written || (name === undefined && isIP(written) !== 0)) return;
  throw new SysError(
    "EACCES",
    `the tunnel is refused: it is for ${host}, and its ClientHello names ${name ?? "no host"}`,
  );
}

async function opened(
  client: Socket,
  { host }: UrlTarget,
  { authority }: ProxyContext,
  signal: AbortSignal,
): Promise<Socket> {
  const secure = new TLSSocket(client, {
    isServer: true,
    secureContext: authority.contextFor(host),
    ALPNProtocols: ["http/1.1"],
  });
  secure.on("error", () => secure.destroy());
  await once(secure, "secure", { signal });
  return secure;
}
