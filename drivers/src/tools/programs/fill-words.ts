// Fill words: builds the arguments of a program from a template and the call's arguments.
//
//   fillWords(["--to={to}", "--", "{path}"], { to: "html", path: "/work/a.md" })
//
// FILL-WORDS-1  One word of the template is one argument; a list fills as many as it has items.
// FILL-WORDS-2  A value with a leading dash is refused as a separate argument before `--`.
// FILL-WORDS-3  A word whose only placeholder is absent is dropped.

import { type Json, SysError } from "@aos/protocol";
import { placeholdersIn, type Template } from "./program-file.ts";

export function fillWords(template: Template, args: Readonly<Record<string, Json>>): string[] {
  const words: string[] = [];
  let isAfterDashes = false;
  const isGiven = (name: string) => ![undefined, null, false].includes(args[name] as never);
  for (const part of template) {
    const group = typeof part === "string" ? [part] : isGiven(part.if) ? part.words : [];
    for (const word of group) {
      if (word === "--") isAfterDashes = true;
      words.push(...filled(word, args, isAfterDashes));
    }
  }
  return words;
}

function filled(
  word: string,
  args: Readonly<Record<string, Json>>,
  isAfterDashes: boolean,
): string[] {
  const names = placeholdersIn(word);
  if (names.length === 0) return [word];
  if (names.some((name) => args[name] === undefined || args[name] === null)) return []; // FILL-WORDS-3
  const [name] = names;
  const whole = word === `{${name}}`;
  const value = args[name!]!;
  if (whole && typeof value === "boolean")
    throw new SysError("EINVAL", `${name} is a boolean where a text is needed`);
  const values = whole && Array.isArray(value) ? value.map(textOf) : undefined;
  const made = values ?? [
    word.replace(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, one: string) => textOf(args[one]!)),
  ];
  for (const text of made)
    if (whole && !isAfterDashes && text.startsWith("-"))
      // FILL-WORDS-2
      throw new SysError("EINVAL", `${name}: ${JSON.stringify(text)} would be read as an option`);
  return made;
}

function textOf(value: Json): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value);
}
