// Path patterns: `/work/*.ts`, `/work/**`. Also the path behind a host, and the pieces of a name.
//
// PATH-PATTERN-1  `*` stands for any run of characters inside one segment, at most 4 in a segment. `**`
//     is a whole segment and stands for any number of segments, none included; at most 2.
// PATH-PATTERN-2  Segments are never empty, `.` or `..`, neither in a pattern nor in a resource.
// PATH-PATTERN-3  Matching takes at most (segments of pattern) × (segments of path) × 2 segment matches,
//     and a segment match is one pass of indexOf. There is no regular expression and no recursion.
// PATH-PATTERN-4  Dotfiles are ordinary names. Case is significant.

import { CapabilityError } from "./error.ts";

export const MAX_SEGMENTS = 256;
export const MAX_STARS = 4;
const MAX_TREES = 2;
const MAX_SEGMENT = 255;

/** A literal; or the literals between stars; or null for `**`. */
export type Segment = string | readonly string[] | null;

/** Refuses characters that have a meaning in other glob languages, and those of `extra`. */
export function checkCharacters(text: string, extra: string): void {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (NEVER.includes(character) || extra.includes(character)) {
      throw new CapabilityError(`"${character}" has no meaning in a pattern`, text, at);
    }
  }
}

const NEVER = "{}[]()!?\\%";

export function isWritable(character: string, extra: string): boolean {
  return !NEVER.includes(character) && !extra.includes(character);
}

/** Reads a pattern whose characters were checked. Offsets of errors are those of `text`. */
export function compilePath(text: string): readonly Segment[] {
  if (!text.startsWith("/")) throw new CapabilityError("a path starts with /", text, 0);
  if (text === "/") return [];
  const parts = text.slice(1).split("/");
  if (parts.length > MAX_SEGMENTS) {
    throw new CapabilityError(`more than ${MAX_SEGMENTS} segments`, text, 0);
  }
  let at = 1;
  let trees = 0;
  const segments: Segment[] = [];
  for (const part of parts) {
    if (part === "**" && ++trees > MAX_TREES) {
      throw new CapabilityError(`more than ${MAX_TREES} times **`, text, at);
    }
    segments.push(part === "**" ? null : compileSegment(text, part, at));
    at += part.length + 1;
  }
  return segments;
}

function compileSegment(text: string, part: string, at: number): string | readonly string[] {
  if (part === "") throw new CapabilityError("empty segment", text, at);
  if (isDots(part)) throw new CapabilityError(`"${part}" is not a segment`, text, at);
  if (part.length > MAX_SEGMENT) throw new CapabilityError("segment too long", text, at);
  if (part.startsWith(" ") || part.endsWith(" ")) {
    throw new CapabilityError("a segment neither begins nor ends with a space", text, at);
  }
  return splitStars(text, part, at);
}

/** A literal without stars as it is; otherwise the literals between the stars. */
export function splitStars(text: string, part: string, at: number): string | readonly string[] {
  if (!part.includes("*")) return part;
  const double = part.indexOf("**");
  if (double >= 0) {
    throw new CapabilityError("** must be a whole segment of a path", text, at + double);
  }
  const literals = part.split("*");
  if (literals.length - 1 > MAX_STARS) {
    throw new CapabilityError(`more than ${MAX_STARS} stars in one segment`, text, at);
  }
  return literals;
}

export function isDots(part: string): boolean {
  return part === "." || part === "..";
}

/** The segments of a resource's path, or null when it is not canonical. */
export function readPath(text: string): readonly string[] | null {
  if (!text.startsWith("/")) return null;
  if (text === "/") return NO_SEGMENTS;
  const segments = text.slice(1).split("/");
  if (segments.length > MAX_SEGMENTS) return null;
  for (const segment of segments) if (segment === "" || isDots(segment)) return null;
  return segments;
}

const NO_SEGMENTS: readonly string[] = [];

export function matchPath(pattern: readonly Segment[], path: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  // Where to go on after the last `**`, once it has taken one segment more. An earlier `**` need
  // never take more: whatever it could take, the later one can. 0: there was none.
  let resumeP = 0;
  let resumeS = s;
  while (s < path.length) {
    const want = pattern[p];
    if (want === null) {
      p += 1;
      resumeP = p;
      resumeS = s;
    } else if (want !== undefined && matchSegment(want, path[s] as string)) {
      p += 1;
      s += 1;
    } else if (resumeP > 0) {
      p = resumeP;
      resumeS += 1;
      s = resumeS;
    } else {
      return false;
    }
  }
  while (pattern[p] === null) p += 1;
  return p === pattern.length;
}

function matchSegment(want: string | readonly string[], segment: string): boolean {
  if (typeof want === "string") return want === segment;
  const last = want.length - 1;
  const tail = want[last] as string;
  if (!segment.startsWith(want[0] as string) || !segment.endsWith(tail)) return false;
  const end = segment.length - tail.length;
  let at = (want[0] as string).length;
  for (let i = 1; i < last; i++) {
    const found = segment.indexOf(want[i] as string, at);
    if (found < 0) return false;
    at = found + (want[i] as string).length;
  }
  return at <= end;
}
