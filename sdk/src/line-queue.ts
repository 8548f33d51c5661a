// Line queue: the lines of a stream, one per turn of the event loop.
//
// LINE-QUEUE-1  Everything that a line triggers without a system call (promises and their continuations) is done
//               before the next line is handled, even when both arrive in one chunk. The order of a program's calls
//               therefore follows from the order of the lines alone, and a replay makes the same calls.

import type { Readable } from "node:stream";

export function queueLines(
  stream: Readable,
  on: { readonly line: (text: string) => void; readonly end: () => void },
): void {
  const lines: string[] = [];
  let underWay: string[] = [];
  let pumping = false;
  let ended = false;

  const pump = () => {
    const line = lines.shift();
    if (line !== undefined) {
      on.line(line);
      setImmediate(pump);
      return;
    }
    pumping = false;
    if (ended) on.end();
  };
  const wake = () => {
    if (pumping) return;
    pumping = true;
    setImmediate(pump);
  };

  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const pieces = chunk.split("\n");
    underWay.push(pieces[0]!);
    for (const piece of pieces.slice(1)) {
      lines.push(underWay.join(""));
      underWay = [piece];
    }
    wake();
  });
  stream.on("end", () => {
    ended = true;
    wake();
  });
}
