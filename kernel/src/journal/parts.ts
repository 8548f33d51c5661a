// Parts: a long text as pieces that are stored once each, so that similar checkpoint states share their common
// pieces.
//
// PARTS-1  Every digest is that of a text. A text is stored whole, or as the list of digests of its consecutive
//     pieces; a piece may itself be stored as a list.
// PARTS-2  The division depends on the text alone, and appended text moves no earlier cut except the last: equal
//     texts have equal pieces. These numbers must not change, or lists would no longer share pieces.
// PARTS-3  No cut splits a surrogate pair: each piece is a text that a database can hold.

import { digestOf } from "./encoded-text.ts";

/** Texts shorter than this are stored whole. */
export const DIVIDED_LENGTH = 4096;

const SHORTEST_PIECE = 1024;
const LONGEST_PIECE = 8192;

/** So many digests are in a list. */
const MAX_LISTED = 16;

/** Between two objects of an array is where a piece ends, so that one more object changes only the last. */
const BOUNDARY = "},{";

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly digest: string;
}

interface StoredText {
  readonly digest: string;
  /** The text; or, of one that is stored `inParts`, the digests of its pieces. */
  readonly body: string;
  readonly inParts?: true;
}

/** What to store for a text with that digest; the text itself is the last. */
export function splitText(text: string, digest: string): StoredText[] {
  if (text.length < DIVIDED_LENGTH) return [{ digest, body: text }];
  const stored: StoredText[] = [];
  let pieces = cutsOf(text).map(([from, to]): Piece => {
    const body = text.slice(from, to);
    const piece = { from, to, digest: digestOf(body) };
    stored.push({ digest: piece.digest, body });
    return piece;
  });
  while (pieces.length > MAX_LISTED) {
    const lists: Piece[] = [];
    for (let at = 0; at < pieces.length; at += MAX_LISTED) {
      const listed = pieces.slice(at, at + MAX_LISTED);
      const [first, last] = [listed[0]!, listed.at(-1)!];
      if (first === last) {
        lists.push(first); // a list of one would be the list of itself
        continue;
      }
      const list = digestOf(text.slice(first.from, last.to));
      stored.push({ digest: list, body: listOf(listed), inParts: true });
      lists.push({ from: first.from, to: last.to, digest: list });
    }
    pieces = lists;
  }
  stored.push({ digest, body: listOf(pieces), inParts: true });
  return stored;
}

const listOf = (pieces: readonly Piece[]): string => pieces.map(({ digest }) => digest).join(" ");

function cutsOf(text: string): [from: number, to: number][] {
  const cuts: [number, number][] = [];
  let boundary = -1;
  for (let from = 0; from < text.length;) {
    // Looked for once, however far it is.
    if (boundary < from + SHORTEST_PIECE) {
      const found = text.indexOf(BOUNDARY, from + SHORTEST_PIECE);
      boundary = found === -1 ? Infinity : found;
    }
    let to = Math.min(boundary + 1, from + LONGEST_PIECE, text.length);
    if (to < text.length && isLowSurrogate(text.charCodeAt(to))) to++; // PARTS-3
    cuts.push([from, to]);
    from = to;
  }
  return cuts;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;
