// OutputBuffer: the output of a run, limited on both streams together. Invalid UTF-8 becomes the replacement
// character; a character split between two chunks is kept.

import type { Readable } from "node:stream";

export class OutputBuffer {
  readonly #limit: number;
  readonly #onLimit: () => void;
  readonly #chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  #bytes = 0;
  /** Everything that was read, also what was over the limit. */
  seen = 0;
  isCut = false;

  constructor(limit: number, onLimit: () => void) {
    this.#limit = limit;
    this.#onLimit = onLimit;
  }

  collect(name: "stdout" | "stderr", stream: Readable): void {
    stream.on("data", (chunk: Buffer) => {
      this.seen += chunk.length;
      const room = this.#limit - this.#bytes;
      this.#bytes += Math.min(chunk.length, room);
      if (room > 0) this.#chunks[name].push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (chunk.length <= room || this.isCut) return;
      this.isCut = true;
      this.#onLimit();
    });
  }

  text(name: "stdout" | "stderr"): string {
    return Buffer.concat(this.#chunks[name]).toString("utf8");
  }
}
