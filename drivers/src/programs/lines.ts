// Lines: splits a byte stream into lines and buffers at most one line.
//
// LINES-1  The buffer never exceeds `maxBytes`, however long the line and however small its chunks: chunks are copied
//     into one buffer, not kept in a list.
// LINES-2  A line that is too long is refused while it arrives.

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export interface LinesRead {
  readonly lines: readonly Buffer[];
  /** The line under way is longer than allowed. Nothing more can be read from this stream. */
  readonly tooLong: boolean;
}

export class LineReader {
  readonly #maxBytes: number;
  #held = NOTHING;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** True when the stream so far ends in the middle of a line. */
  get inMidLine(): boolean {
    return this.#heldBytes > 0;
  }

  take(chunk: Buffer): LinesRead {
    const lines: Buffer[] = [];
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      const piece = chunk.subarray(from, newline < 0 ? chunk.length : newline);
      if (this.#heldBytes + piece.length > this.#maxBytes) {
        this.#release();
        return { lines, tooLong: true };
      }
      if (newline < 0) {
        this.#hold(piece);
        break;
      }
      lines.push(this.#complete(piece));
      from = newline + 1;
    }
    return { lines, tooLong: false };
  }

  #complete(piece: Buffer): Buffer {
    if (this.#heldBytes === 0) return piece;
    this.#hold(piece);
    const line = this.#held.subarray(0, this.#heldBytes);
    this.#release();
    return line;
  }

  #hold(piece: Buffer): void {
    const needed = this.#heldBytes + piece.length;
    if (needed > this.#held.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, Math.min(needed * 2, this.#maxBytes)));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    piece.copy(this.#held, this.#heldBytes);
    this.#heldBytes = needed;
  }

  #release(): void {
    this.#held = NOTHING;
    this.#heldBytes = 0;
  }
}
