// Cut long: a text in pieces of a limited length, at line ends where there are some, else at spaces.
//
// CUT-LONG-1  The pieces together are the text, but for the sign at each cut. No piece is longer than the limit.

export interface CutText {
  readonly text: string;
  /** Of its first line, from 1. */
  readonly line: number;
}

export function cutLong(text: string, limit: number): CutText[] {
  const pieces: CutText[] = [];
  let line = 1;
  for (let from = 0; ;) {
    const end = text.length - from <= limit ? text.length : cutAt(text, from, limit);
    const piece = text.slice(from, end);
    pieces.push({ text: piece, line });
    if (end >= text.length) return pieces;
    const sign = text[end]!;
    const isBlank = sign === "\n" || sign === " ";
    for (const one of piece) if (one === "\n") line++;
    if (sign === "\n") line++;
    from = isBlank ? end + 1 : end;
  }
}

/** The last line end, else the last space of the second half, else the limit. */
function cutAt(text: string, from: number, limit: number): number {
  const half = from + limit / 2;
  for (const sign of ["\n", " "]) {
    const at = text.lastIndexOf(sign, from + limit);
    if (at > half) return at;
  }
  return from + limit;
}
