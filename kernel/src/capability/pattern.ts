// Pattern: which resources of a kind a capability covers.
//
//   compile("file", "/work/**")            a Pattern, or a CapabilityError that points
//   matches(pattern, "/work/a.txt")        true
//   readTarget("path", "/work/../etc")     null: not canonical, so no pattern covers it
//
// PATTERN-1  Only canonical resources match: links, `..`, case and encodings are resolved before. What is left of
//     them here matches nothing.
// PATTERN-2  Compiling the printed text of a pattern gives the same pattern.
// PATTERN-3  `*` alone is everything of the kind; for paths it prints as `/**`.
//
// Names: tools, agents, models, programs, secrets, processes, topics.
//
//   mcp.github.*    everything below mcp.github, however deep
//   mcp.*.read      one part in the middle: mcp.github.read, not mcp.a.b.read
//   git,ls          either (the list is sorted when printed)
//
// NAME-PATTERN-1  A `*` at the end matches all the rest. Any other `*` stops at `.` and at `/`.
// NAME-PATTERN-2  Between slashes no segment is empty, `.` or `..`; a leading slash (the path of a program) is
//     allowed.
// NAME-PATTERN-3  Matching is one pass of indexOf over the name, as in path-pattern.ts.

import { flawIn } from "./characters.ts";
import { CapabilityError, rebaseErrors } from "./error.ts";
import {
  compileHost,
  type HostPattern,
  type HostTarget,
  matchHost,
  readHostTarget,
} from "./host-pattern.ts";
import { type CapabilityKind, kindRow, type PatternShape } from "./kinds.ts";
import {
  checkCharacters,
  compilePath,
  isDots,
  matchPath,
  MAX_SEGMENTS,
  readPath,
  type Segment,
  splitStars,
} from "./path-pattern.ts";

const MAX_TEXT = 4096;

export type Pattern =
  | { readonly shape: "path"; readonly text: string; readonly path: readonly Segment[] }
  | { readonly shape: "host"; readonly text: string; readonly hosts: readonly HostPattern[] }
  | { readonly shape: "name"; readonly text: string; readonly names: readonly NamePattern[] };

/** A resource, read once and then held against many patterns. */
export type PatternTarget =
  | { readonly shape: "path"; readonly path: readonly string[] }
  | { readonly shape: "host"; readonly host: HostTarget }
  | { readonly shape: "name"; readonly name: string };

export function compile(kind: CapabilityKind, text: string): Pattern {
  if (text.length > MAX_TEXT) throw new CapabilityError("pattern too long", text, MAX_TEXT);
  const flaw = flawIn(text);
  if (flaw !== null) throw new CapabilityError(flaw.problem, text, flaw.at);
  const { shape } = kindRow(kind);
  if (shape === "host") {
    const list = compileList(text, compileHost);
    return { shape, text: list.text, hosts: list.values };
  }
  if (shape === "name") {
    checkCharacters(text, " ");
    const list = compileList(text, compileName);
    return { shape, text: list.text, names: list.values };
  }
  const everything = text === "*" ? "/**" : text;
  checkCharacters(everything, "");
  return { shape, text: everything, path: compilePath(everything) };
}

export function readTarget(shape: PatternShape, resource: string): PatternTarget | null {
  if (resource.length > MAX_TEXT || flawIn(resource) !== null) return null;
  if (shape === "host") {
    const host = readHostTarget(resource);
    return host === null ? null : { shape, host };
  }
  if (shape === "name") return isCanonicalName(resource) ? { shape, name: resource } : null;
  const path = readPath(resource);
  return path === null ? null : { shape, path };
}

export function covers(pattern: Pattern, target: PatternTarget): boolean {
  if (pattern.shape === "path") {
    return target.shape === "path" && matchPath(pattern.path, target.path);
  }
  if (pattern.shape === "name") {
    return target.shape === "name" && pattern.names.some((name) => matchName(name, target.name));
  }
  return target.shape === "host" && pattern.hosts.some((host) => matchHost(host, target.host));
}

export function matches(pattern: Pattern, resource: string): boolean {
  const target = readTarget(pattern.shape, resource);
  return target !== null && covers(pattern, target);
}

const MAX_ALTERNATIVES = 64;

/** A literal, or the literals between stars. */
type NamePattern = string | readonly string[];

/** Reads a comma list. Every alternative is compiled by `one`; duplicates are refused. */
function compileList<T>(
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

function compileName(text: string): { text: string; value: NamePattern } {
  if (!isCanonicalName(text))
    throw new CapabilityError("an empty name, or . or .. between slashes", text, 0);
  return { text, value: splitStars(text, text, 0) };
}

/** No space, and no piece between slashes that is empty, `.` or `..`. */
function isCanonicalName(name: string): boolean {
  if (name.includes(" ")) return false;
  const pieces = (name.startsWith("/") ? name.slice(1) : name).split("/");
  return pieces.length <= MAX_SEGMENTS && pieces.every((piece) => piece !== "" && !isDots(piece));
}

function matchName(want: NamePattern, name: string): boolean {
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
