// EventSinks: the destinations of events: a file of lines, or a syslog server (RFC 5424).
//
//   file     appended, and opened anew for every batch: to rotate it, rename it
//   udp      a datagram for each event (RFC 5426)
//   tcp, unix stream sockets: octets are counted (RFC 6587), over a connection that is kept
//
// EVENT-SINKS-1  A sink resolves when the system has accepted the batch, and throws otherwise.
// EVENT-SINKS-2  Only its owner can read the file, and no link to it is followed.

import { createSocket, type Socket as Datagrams } from "node:dgram";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { hostname } from "node:os";

export interface EventLine {
  readonly timeMs: number;
  /** As syslog counts: 3 is an error, 4 a warning, 5 a notice, 6 is informational. */
  readonly level: number;
  readonly json: string;
}

export interface EventSink {
  send(batch: readonly EventLine[]): Promise<void>;
  close(): void;
}

const CONNECT_MS = 5000;
/** Facility 13, log audit. */
const FACILITY = 13;

export function fileSink(path: string): EventSink {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  return {
    async send(batch) {
      // EVENT-SINKS-2
      const file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
      try {
        await file.writeFile(batch.map(({ json }) => `${json}\n`).join(""));
      } finally {
        await file.close();
      }
    },
    close() {},
  };
}

/** `udp://host:514`, `tcp://host:601`, `unix:/run/siem.sock`. */
export function syslogSink(address: string): EventSink {
  if (address.startsWith("unix:"))
    return streamSink(() => connect({ path: address.slice("unix:".length) }));
  const { protocol, hostname: host, port } = new URL(address);
  const place = { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 514) };
  return protocol === "udp:" ? datagramSink(place) : streamSink(() => connect(place));
}

function datagramSink({ host, port }: { host: string; port: number }): EventSink {
  const socket: Datagrams = createSocket(host.includes(":") ? "udp6" : "udp4");
  socket.unref();
  socket.on("error", () => {});
  return {
    async send(batch) {
      for (const line of batch)
        await new Promise<void>((resolve, reject) => {
          socket.send(syslogMessage(line), port, host, (error) =>
            error === null ? resolve() : reject(error),
          );
        });
    },
    close: () => socket.close(),
  };
}

function streamSink(dial: () => Socket): EventSink {
  let kept: Socket | undefined;
  const connected = async (): Promise<Socket> => {
    if (kept !== undefined && !kept.destroyed && kept.writable) return kept;
    const socket = dial();
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error("the server does not answer")));
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    socket.setTimeout(0);
    socket.on("error", () => socket.destroy());
    socket.resume().unref();
    kept = socket;
    return socket;
  };
  return {
    async send(batch) {
      const socket = await connected();
      const text = batch.map((line) => framed(syslogMessage(line))).join("");
      await new Promise<void>((resolve, reject) => {
        socket.write(text, (error) => (error == null ? resolve() : reject(error)));
      });
    },
    close: () => kept?.end(),
  };
}

const framed = (message: string): string => `${Buffer.byteLength(message)} ${message}`;

/** RFC 5424: `<PRI>1 TIME HOST APP PROCID MSGID SD MSG`. */
export function syslogMessage({ timeMs, level, json }: EventLine): string {
  const at = new Date(timeMs).toISOString();
  return `<${FACILITY * 8 + level}>1 ${at} ${hostname() || "-"} agent-os ${process.pid} ocsf - ${json}`;
}
