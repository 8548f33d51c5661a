// The longest path of a Unix socket: 104 bytes on macOS and 108 on Linux, with the terminating zero.

import { SysError } from "./failures.ts";

export const MAX_SOCKET_PATH_BYTES = 103;

export function checkSocketPath(socket: string): void {
  const bytes = new TextEncoder().encode(socket).length;
  if (bytes <= MAX_SOCKET_PATH_BYTES) return;
  throw new SysError(
    "EINVAL",
    `the socket path is ${bytes} bytes long, and the limit is ${MAX_SOCKET_PATH_BYTES}: ${socket}`,
    { hint: "set AOS_SOCKET to a shorter path, e.g. AOS_SOCKET=/tmp/aos.sock" },
  );
}
