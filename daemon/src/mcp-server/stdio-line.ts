// StdioLine: MCP as a program on this machine speaks it over its standard streams, on a connection to the
// daemon. What `aos mcp serve` is at the other end of.
//
//   GET /mcp with `Upgrade: mcp-stdio`      from then on one JSON-RPC message a line, both ways
//
// STDIO-LINE-1  A request for it passes the same checks as any other request.
// STDIO-LINE-2  The connection ends when either side ends it, when the caller is no longer valid, and when the daemon
//     stops.
// STDIO-LINE-3  A line that is too expensive to parse (read-request.ts) ends the connection before it is parsed.

import { Transform, type Duplex } from "node:stream";
import type { Server } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { JsonScan } from "../gateway/read-request.ts";

/** Lets bytes through as they come, and fails at the first that is too much. */
function scanLines(): Transform {
  const scan = new JsonScan("a message", { isLines: true });
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      try {
        scan.feed(bytes);
        done(null, bytes);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

export const STDIO_UPGRADE = "mcp-stdio";

export interface StdioConnection {
  readonly create: (isLasting: boolean) => Server;
  readonly ends: AbortSignal;
  readonly onTrouble: (error: unknown) => void;
  readonly maxBytes: number;
}

export function serveLine(socket: Duplex, head: Buffer, line: StdioConnection): void {
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_UPGRADE}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  const scanned = socket.pipe(scanLines());
  scanned.once("error", () => socket.destroy()); // STDIO-LINE-3
  const transport = new StdioServerTransport(scanned, socket, { maxBufferSize: line.maxBytes });
  const handle = serveStdio(({ era }) => line.create(era === "legacy"), {
    transport,
    onerror: line.onTrouble,
  });
  const end = () => {
    handle.close().then(() => socket.end(), line.onTrouble);
  };
  socket.once("end", end);
  socket.once("close", end);
  if (line.ends.aborted) end();
  else line.ends.addEventListener("abort", end, { once: true }); // STDIO-LINE-2
}
