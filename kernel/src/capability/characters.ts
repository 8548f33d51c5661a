// Characters: the characters that patterns and resources may not contain, because they are invisible or have
// look-alike spellings.
//
// CHARACTERS-1  Control, invisible, bidirectional and unusual space characters are refused. U+0020 is not one of
//     them; shapes without spaces refuse it themselves.
// CHARACTERS-2  A text that is not well-formed UTF-16, or not in Unicode normal form C, is refused.

const INVISIBLE: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

export interface CharacterProblem {
  readonly problem: string;
  readonly at: number;
}

export function isInvisible(codePoint: number): boolean {
  if (codePoint > 0x1f && codePoint < 0x7f) return false;
  return INVISIBLE.some(([from, to]) => codePoint >= from && codePoint <= to);
}

/** The first character that may not stand in a pattern or a resource, or null. */
export function flawIn(text: string): CharacterProblem | null {
  if (isPlainAscii(text)) return null;
  let at = 0;
  for (const character of text) {
    const point = character.codePointAt(0) as number;
    if (isInvisible(point)) return { problem: `invisible character ${codeName(point)}`, at };
    if (!character.isWellFormed()) return { problem: "half a surrogate pair", at };
    at += character.length;
  }
  const normal = text.normalize("NFC");
  if (normal === text) return null;
  return { problem: "not in Unicode normal form C", at: firstDifference(text, normal) };
}

export function codeName(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

function isPlainAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}

/** Of two texts that are not the same, counted in units as `at` is. */
function firstDifference(a: string, b: string): number {
  return a.split("").findIndex((unit, at) => unit !== b[at]);
}
