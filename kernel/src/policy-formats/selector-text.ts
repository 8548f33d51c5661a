// Selector text: reads a selector of a rule (policy/selectors.ts says which calls it is about).
//
// SELECTORS-1  A selector that names what does not exist (call, kind, verb, sink, tool) is an error.

import { isSyscallName, sinks, syscalls } from "@aos/protocol";
import { isKind, type CapabilityKind, KINDS, kindRow } from "../capability/kinds.ts";
import { compile, matches, type Pattern } from "../capability/pattern.ts";
import { readVerbs } from "../capability/words.ts";
import { PolicyError } from "../policy/problem.ts";
import { effects, type KnownNames, type Selector } from "../policy/selectors.ts";
import { nearestHint } from "./problem-list.ts";

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
  if (word === "pipe") return { by: "pipe", pattern: compile("agent", rest) };
  if (!isKind(word)) {
    const words = [...Object.keys(KINDS), "pipe", "sink", "effect"];
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
