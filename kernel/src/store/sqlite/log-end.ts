// LogEnd: the committed part of a write-ahead log, read from its file.

import { SysError } from "@aos/protocol/failures";

// By name: an `import` of node:fs loads all that it has, and the thread of a store loads this.
const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs");

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Where the last commit in a log ends; `after` is such a place, or 0. To be asked between two transactions. */
export function endOfLog(log: string, after: number): number {
  return withLog(log, 0, (fd) => {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    if (readSync(fd, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return 0;
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
    const salt = header.subarray(16, 24);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    let end = after;
    for (let at = Math.max(after, LOG_HEADER_BYTES); ; at += frameBytes) {
      if (readSync(fd, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) return end;
      if (!frame.subarray(8, 16).equals(salt)) return end; // left from before the log began anew
      if (frame.readUInt32BE(4) !== 0) end = at + frameBytes; // the last frame of a commit
    }
  });
}

export function readLogTail(log: string, after: number): Uint8Array {
  const end = endOfLog(log, after);
  return withLog(log, new Uint8Array(), (fd) => {
    const tail = Buffer.alloc(end - after);
    for (let at = 0; at < tail.length;) {
      const count = readSync(fd, tail, at, tail.length - at, after + at);
      if (count === 0) throw new SysError("ESTORE", "the log of the database became shorter");
      at += count;
    }
    return tail;
  });
}

function withLog<T>(log: string, none: T, use: (fd: number) => T): T {
  let fd: number;
  try {
    fd = openSync(log, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return none;
    throw error;
  }
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
