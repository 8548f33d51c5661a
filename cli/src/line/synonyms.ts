// Synonyms: the words of other command lines, for who types them here.
//
//   aos agents              aos agent ls
//   aos agent list          aos agent ls
//   aos describe agt_01kx   aos show agt_01kx
//
// SYNONYMS-1  A command of our own is never read as another: only words that name none are looked up here.
// SYNONYMS-2  A word that could mean several commands runs none: the error names them.

import type { CommandRow } from "../command.ts";
import { namesOf } from "./shape.ts";

const verbs: Readonly<Record<string, readonly string[]>> = {
  list: ["ls"],
  ls: ["list"],
  get: ["show"],
  describe: ["show"],
  inspect: ["show"],
  info: ["show"],
  remove: ["rm"],
  delete: ["rm"],
  del: ["rm"],
  create: ["add"],
  new: ["add"],
};

const firsts: Readonly<Record<string, readonly string[]>> = {
  list: ["ps"],
  ls: ["ps"],
  describe: ["show"],
  inspect: ["show"],
  log: ["logs"],
  memory: ["mem"],
  files: ["fs"],
  file: ["fs"],
  messages: ["msg"],
  message: ["msg"],
  context: ["ctx"],
  capabilities: ["caps"],
  capability: ["caps"],
};

const advice: Readonly<Record<string, string>> = {
  rm: "`aos kill PID` ends a process, `aos fs rm PATH` removes a file, `aos gc` removes old history.",
  exec: "`aos tool call NAME` calls a tool, `aos invoke PID` asks a running agent.",
  start: "`aos spawn AGENT` starts an agent, `aos up` the daemon.",
  restart: "`aos retry PID` runs a process again, `aos down` and `aos up` restart the daemon.",
  login: "`aos status` prints the address of the page, `aos token create` makes an access token.",
};

/** The words of our own command, where these are another spelling of one. */
export function ownWords(
  rows: readonly CommandRow[],
  [first = "", second, ...rest]: readonly string[],
): string[] | undefined {
  const has = (...names: string[]) =>
    rows.some((row) => {
      const own = namesOf(row);
      return own.length === names.length && own.every((name, at) => names[at] === name);
    });
  const others = second === undefined ? [] : [second, ...rest];
  for (const noun of [first, ...(firsts[first] ?? []), ...otherNumbers(first)]) {
    for (const verb of second === undefined ? [] : [second, ...(verbs[second] ?? [])])
      if (has(noun, verb)) return [noun, verb, ...rest];
    if (noun !== first && has(noun)) return [noun, ...others];
    if (noun !== first && has(noun, "ls") && isOption(second)) return [noun, "ls", ...others];
  }
  return undefined;
}

const isOption = (word: string | undefined): boolean => word === undefined || word.startsWith("-");

const otherNumbers = (word: string): string[] =>
  word.endsWith("s") ? [word.slice(0, -1)] : [`${word}s`];

/** What to type instead of a word that means several things here (SYNONYMS-2). */
export const adviceFor = (word: string): string | undefined => advice[word];
