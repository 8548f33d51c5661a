// NATS: carries the hints between the nodes of one database (protocol/src/hint-port.ts).
//
//   const hints = natsHints("nats://USER:PASSWORD@HOST:4222", "aos.wake.DATABASE")
//
// NATS-1  A server that is not there, or goes, stops nothing: it is tried again for ever, and meanwhile the database
//     carries the hints.
// NATS-2  A long text is not read.

import type { HintBroker } from "@aos/protocol";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";

const LONGEST_TEXT = 64 * 1024;
const RETRY_MS = 500;
/** A server that does not answer for twice this long is gone. */
const PING_MS = 5000;

function optionsOf(text: string): NodeConnectionOptions {
  const { protocol, username, password, hostname, port } = new URL(text);
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  return {
    servers: `${hostname}:${port === "" ? 4222 : port}`,
    ...(protocol === "tls:" ? { tls: {} } : {}),
    ...(user === "" ? {} : { user, pass }),
    name: "aos",
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  };
}

export function natsHints(
  url: string,
  subject: string,
  trouble: (what: string, error: unknown) => void = () => {},
): HintBroker {
  let connection: NatsConnection | undefined;
  let isConnected = false;
  let isClosed = false;
  const follow = async (opened: NatsConnection, missed: () => void): Promise<void> => {
    for await (const { type } of opened.status()) {
      if (type === "disconnect") isConnected = false;
      if (type !== "reconnect") continue;
      isConnected = true;
      missed();
    }
  };
  return {
    get isConnected() {
      return isConnected && !isClosed;
    },
    tell(text) {
      if (!isConnected || isClosed) return;
      connection?.publish(subject, text);
    },
    listen(onHint, missed) {
      const begin = async (): Promise<void> => {
        const { connect } = await import("@nats-io/transport-node"); // only who has NATS loads it
        const opened = await connect(optionsOf(url));
        if (isClosed) return opened.close();
        connection = opened;
        opened.subscribe(subject, {
          callback: (error, message) => {
            if (error === null && message.data.length <= LONGEST_TEXT) onHint(message.string()); // NATS-2
          },
        });
        await opened.flush(); // the server has the subscription: from here on nothing is missed
        isConnected = true;
        missed();
        await follow(opened, missed);
      };
      begin().catch((error: unknown) => {
        isConnected = false;
        if (!isClosed) trouble("NATS cannot be used", error);
      });
    },
    async close() {
      isClosed = true;
      await connection?.close();
    },
  };
}
