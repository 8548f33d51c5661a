// Words of a capability that come from closed sets: its kind and its verbs.
//
//   readKind(text, at, "file")        the kind, or an error that lists them
//   readVerbs("file", "read,list")    in the order of the kinds table; `*` is all of them

import { CapabilityError } from "./error.ts";
import { isKind, type CapabilityKind, KINDS, kindRow } from "./kinds.ts";
import { compile, type Pattern } from "./pattern.ts";

export function readKind(text: string, at: number, word: string): CapabilityKind {
  if (isKind(word)) return word;
  const known = Object.keys(KINDS).join(", ");
  throw new CapabilityError(`unknown kind "${word}"; the kinds are ${known}`, text, at);
}

/** `agent:spawn`: the pattern left out, where older texts did so. */
export function barePattern(text: string, kind: CapabilityKind, at: number): Pattern {
  if (kindRow(kind).bare) return compile(kind, "*");
  throw new CapabilityError(`a ${kind} capability needs a resource`, text, at);
}

export function readVerbs(kind: CapabilityKind, text: string): readonly string[] {
  const row = kindRow(kind);
  if (text === "*") return row.verbs;
  const chosen = new Set<string>();
  let at = 0;
  for (const word of text.split(",")) {
    const verbs = verbsFor(kind, word);
    if (verbs === null) {
      const problem = `${kind} has no verb "${word}"; its verbs are ${row.verbs.join(", ")}`;
      throw new CapabilityError(problem, text, at);
    }
    if (verbs.some((verb) => chosen.has(verb))) {
      throw new CapabilityError(`"${word}" is given twice`, text, at);
    }
    for (const verb of verbs) chosen.add(verb);
    at += word.length + 1;
  }
  return row.verbs.filter((verb) => chosen.has(verb));
}

function verbsFor(kind: CapabilityKind, word: string): readonly string[] | null {
  const { verbs, aliases } = kindRow(kind);
  if (verbs.includes(word)) return [word];
  if (aliases === undefined || !Object.hasOwn(aliases, word)) return null;
  return aliases[word] as readonly string[];
}
