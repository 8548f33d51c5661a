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

import { flawIn } from "./characters.ts";
import { CapabilityError } from "./error.ts";
import {
  compileHost,
  type HostPattern,
  type HostTarget,
  matchHost,
  readHostTarget,
} from "./host-pattern.ts";
import { type CapabilityKind, kindRow, type PatternShape } from "./kinds.ts";
import {
  compileList,
  compileName,
  isCanonicalName,
  matchName,
  type NamePattern,
} from "./name-pattern.ts";
import { checkCharacters, compilePath, matchPath, readPath, type Segment } from "./path-pattern.ts";

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
