// Selectors: which calls a rule is about.
//
//   exec  tool:mcp.github.*  model:anthropic/*  agent:helper  file:/work/**:read  sink:egress
//   effect:external  *
//
// SELECTORS-1  A selector that names what does not exist (call, kind, verb, sink, tool) is an error.
// SELECTORS-2  A restricting selector matches if any touched resource matches, and also if a resource cannot be read;
//     a permitting one covers only what it can read (coverage.ts).
// SELECTORS-3  In a restricting selector a host without a port means every port, and `http:*` every host.

import { isSyscallName, sinks, syscalls, type Sink, type Touch } from "@aos/protocol";
import { isKind, type CapabilityKind, KINDS, kindRow } from "../capability/kinds.ts";
import {
  compile,
  covers,
  matches,
  type Pattern,
  readTarget,
  type PatternTarget,
} from "../capability/pattern.ts";
import { readVerbs } from "../capability/words.ts";
import { nearestHint, PolicyError } from "./problem.ts";
import type { Subject } from "./subject.ts";

export const effects = ["read", "idempotent", "external"] as const;

export type Selector =
  | { readonly by: "all" }
  | { readonly by: "call"; readonly call: string }
  | { readonly by: "tool"; readonly pattern: Pattern }
  | { readonly by: "model"; readonly pattern: Pattern }
  | { readonly by: "sink"; readonly sink: Sink }
  | { readonly by: "effect"; readonly effect: Subject["effect"] }
  | ResourceSelector;

export interface ResourceSelector {
  readonly by: "resource";
  readonly kind: CapabilityKind;
  readonly pattern: Pattern;
  readonly verbs: readonly string[];
}

/** The names that a policy may use, of what is there when it is loaded. */
export interface KnownNames {
  /** `has` is also true for names, and patterns of names, of tools that may come to be. */
  readonly tools: ReadonlySet<string>;
  readonly agents?: (name: string) => boolean;
  readonly channels: ReadonlySet<string>;
}

/** `"read, exec"` and `["read", "exec"]` are the same. A comma without a space is part of a selector. */
export function splitSelectors(written: string | readonly string[]): readonly string[] {
  if (typeof written !== "string") return written;
  return written.split(/,\s+/).map((text) => text.trim());
}

/** Throws a PolicyError or a CapabilityError that points at the character. */
export function readSelector(text: string, known: KnownNames): Selector {
  if (text === "*") return { by: "all" };
  const colon = text.indexOf(":");
  if (colon < 0) return readCall(text);
  const word = text.slice(0, colon);
  const rest = text.slice(colon + 1);
  if (word === "sink") return { by: "sink", sink: oneOf("sink", rest, sinks) };
  if (word === "effect") return { by: "effect", effect: oneOf("effect", rest, effects) };
  if (!isKind(word)) {
    const words = [...Object.keys(KINDS), "sink", "effect"];
    throw new PolicyError([], `unknown selector "${word}:"${nearestHint(word, words)}`);
  }
  const { pattern, verbs } = readResource(word, rest);
  if (word === "tool") return { by: "tool", pattern: knownTools(pattern, known.tools) };
  if (word === "model") return { by: "model", pattern };
  if (word === "agent" && verbs.includes("spawn")) checkAgents(pattern, known.agents);
  return { by: "resource", kind: word, pattern, verbs };
}

function readCall(text: string): Selector {
  if (isSyscallName(text)) return { by: "call", call: text };
  const advice = text.includes(",")
    ? "; put a space after each comma, or write a list"
    : nearestHint(text, Object.keys(syscalls));
  throw new PolicyError([], `unknown system call "${text}"${advice}`);
}

function oneOf<T extends string>(what: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  if (found === undefined) {
    throw new PolicyError([], `no ${what} is called "${word}"; there are ${words.join(", ")}`);
  }
  return found;
}

/** `pattern` or `pattern:verbs`. A last part of letters is verbs, but for models, which have tags. */
function readResource(
  kind: CapabilityKind,
  text: string,
): { readonly pattern: Pattern; readonly verbs: readonly string[] } {
  const colon = text.lastIndexOf(":");
  const last = text.slice(colon + 1);
  const areVerbs =
    colon >= 0 && (kind === "model" ? last === "infer" : /^(?:[a-z,]+|\*)$/.test(last));
  const verbs = areVerbs
    ? readVerbs(kind, last)
    : kind === "agent"
      ? ["spawn"]
      : kindRow(kind).verbs;
  return { pattern: compile(kind, areVerbs ? text.slice(0, colon) : text), verbs };
}

function knownTools(pattern: Pattern, tools: ReadonlySet<string>): Pattern {
  if (pattern.text === "*") return pattern;
  for (const one of pattern.text.split(",")) {
    const part = compile("tool", one);
    if (tools.has(one) || [...tools].some((name) => matches(part, name))) continue;
    const problem = one.includes("*") ? "no tool's name fits" : "no tool is called";
    throw new PolicyError([], `${problem} "${one}"${nearestHint(one, tools)}`);
  }
  return pattern;
}

/** A name without a star that no agent has is an error. */
export function checkAgents(pattern: Pattern, isAgent: KnownNames["agents"]): void {
  if (isAgent === undefined) return;
  for (const one of pattern.text.split(",")) {
    if (!one.includes("*") && !isAgent(one))
      throw new PolicyError([], `no agent is called "${one}"`);
  }
}

/** What selectors are about; a source has no more than what it touches and the tool. */
type Spoken = Pick<Subject, "tool"> & Partial<Subject>;

/** A touch whose resource was read once, to be held against many selectors. */
export interface TouchedResource {
  readonly touch: Touch;
  /** Null when it cannot be read: then no pattern covers it, and any could. */
  readonly target: PatternTarget | null;
}

export const touchedBy = (touches: readonly Touch[]): readonly TouchedResource[] =>
  touches.map((touch) => ({
    touch,
    target: isKind(touch.kind) ? readTarget(kindRow(touch.kind).shape, touch.resource) : null,
  }));

/** Does a rule that takes power away speak of this call? */
export function speaksOf(
  selector: Selector,
  subject: Spoken,
  touched: readonly TouchedResource[],
): boolean {
  switch (selector.by) {
    case "all":
      return true;
    case "call":
      return selector.call === subject.call;
    case "tool":
      return subject.tool !== undefined && couldCoverName(selector.pattern, subject.tool);
    case "model":
      return subject.model !== undefined && couldCoverName(selector.pattern, subject.model);
    case "sink":
      return subject.sinks?.includes(selector.sink) === true;
    case "effect":
      return selector.effect === subject.effect;
    case "resource":
      return touched.some(
        ({ touch, target }) =>
          touch.kind === selector.kind &&
          selector.verbs.includes(touch.verb) &&
          couldCover(selector.pattern, target),
      );
  }
}

export const couldCoverName = (pattern: Pattern, name: string): boolean =>
  couldCover(pattern, readTarget("name", name));

/** Also what cannot be read, and hosts at any port. */
function couldCover(pattern: Pattern, target: PatternTarget | null): boolean {
  if (target === null || isEveryHost(pattern) || covers(pattern, target)) return true;
  return (
    target.shape === "host" && covers(pattern, { shape: "host", host: { ...target.host, port: 0 } })
  );
}

/** Here `http:*` is every host: that addresses are granted by name is for capabilities to hold. */
const isEveryHost = ({ text }: Pattern): boolean => text === "*/**";

/** Is it covered for sure? For rules that give power: what cannot be read is not. */
export function surelyCovers(
  { kind, verbs, pattern }: ResourceSelector,
  { touch, target }: TouchedResource,
): boolean {
  if (touch.kind !== kind || !verbs.includes(touch.verb) || target === null) return false;
  return isEveryHost(pattern) || covers(pattern, target);
}
