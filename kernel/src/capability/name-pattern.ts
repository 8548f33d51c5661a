// Name patterns: tools, agents, models, programs, secrets, processes, topics.
//
//   mcp.github.*    everything below mcp.github, however deep
//   mcp.*.read      one part in the middle: mcp.github.read, not mcp.a.b.read
//   git,ls          either (the list is sorted when printed)
//
// NAME-PATTERN-1  A `*` at the end matches all the rest. Any other `*` stops at `.` and at `/`.
// NAME-PATTERN-2  Between slashes no segment is empty, `.` or `..`; a leading slash (the path of a program) is
//     allowed.
// NAME-PATTERN-3  Matching is one pass of indexOf over the name, as in path-pattern.ts.

import { CapabilityError, rebaseErrors } from "./error.ts";
import { isDots, MAX_SEGMENTS, splitStars } from "./path-pattern.ts";

const MAX_ALTERNATIVES = 64;

/** A literal, or the literals between stars. */
export type NamePattern = string | readonly string[];

/** Reads a comma list. Every alternative is compiled by `one`; duplicates are refused. */
export function compileList<T>(
  text: string,
  one: (item: string) => { text: string; value: T },
): { text: string; values: readonly T[] } {
  const compiled = new Map<string, T>();
  let at = 0;
  for (const item of text.split(",")) {
    const { text: canonical, value } = rebaseErrors(text, at, () => one(item));
    if (compiled.has(canonical)) throw new CapabilityError(`"${item}" is named twice`, text, at);
    compiled.set(canonical, value);
    at += item.length + 1;
  }
  if (compiled.size > MAX_ALTERNATIVES) {
    throw new CapabilityError(`more than ${MAX_ALTERNATIVES} alternatives`, text, 0);
  }
  const sorted = [...compiled.keys()].sort();
  return { text: sorted.join(","), values: sorted.map((one) => compiled.get(one) as T) };
}

export function compileName(text: string): { text: string; value: NamePattern } {
  if (!isCanonicalName(text))
    throw new CapabilityError("an empty name, or . or .. between slashes", text, 0);
  return { text, value: splitStars(text, text, 0) };
}

/** No space, and no piece between slashes that is empty, `.` or `..`. */
export function isCanonicalName(name: string): boolean {
  if (name.includes(" ")) return false;
  const pieces = (name.startsWith("/") ? name.slice(1) : name).split("/");
  return pieces.length <= MAX_SEGMENTS && pieces.every((piece) => piece !== "" && !isDots(piece));
}

export function matchName(want: NamePattern, name: string): boolean {
  if (typeof want === "string") return want === name;
  if (!name.startsWith(want[0] as string)) return false;
  const last = want.length - 1;
  const tail = want[last] as string;
  let at = (want[0] as string).length;
  // The earliest place is always good enough: a later one has the same separators to its right,
  // or one more in the gap to its left.
  for (let i = 1; i < last; i++) {
    const found = name.indexOf(want[i] as string, at);
    if (found < 0 || hasSeparator(name, at, found)) return false;
    at = found + (want[i] as string).length;
  }
  if (tail === "") return true;
  const end = name.length - tail.length;
  return at <= end && name.endsWith(tail) && !hasSeparator(name, at, end);
}

function hasSeparator(name: string, from: number, to: number): boolean {
  return [".", "/"].some((separator) => name.slice(from, to).includes(separator));
}
