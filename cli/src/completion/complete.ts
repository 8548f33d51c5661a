// Complete: completions for the shells. `aos __complete WORD… CURRENT` prints a line for each,
// `VALUE<tab>DESCRIPTION`, and `:files` or `:folders` where machine paths are valid too.
//
// COMPLETE-1  It starts no daemon and prints no errors.
// COMPLETE-2  A value has only letters, digits and a few marks: nothing that a shell would interpret.

import { commands, nouns } from "../commands.ts";
import { writeToStdout } from "../output.ts";
import { printable } from "../printable.ts";
import { positionOf } from "./position.ts";
import { sourcesFor, type Candidate, type Source } from "./sources.ts";

const MOST = 200;

export async function complete(words: readonly string[]): Promise<void> {
  const position = positionOf(commands, nouns, words);
  const { typed, before } = position;
  const sources = sourcesFor(position);
  const found = [...position.words, ...(await candidatesOf(sources))];
  const fitting = found.filter(([value]) => value.startsWith(typed) && isSafe(value));
  const lines = fitting
    .slice(0, MOST)
    .map(([value, what]) => (what === "" ? before + value : `${before}${value}\t${oneLine(what)}`));
  await writeToStdout([...lines, ...sources.flatMap(pathsOf)].map((line) => `${line}\n`).join(""));
}

/** COMPLETE-1. */
async function candidatesOf(sources: readonly Source[]): Promise<Candidate[]> {
  const asked = sources.filter((source) => typeof source !== "string");
  const found = await Promise.allSettled(asked.map((source) => source()));
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

const pathsOf = (source: Source): string[] => (typeof source === "string" ? [`:${source}`] : []);

/** COMPLETE-2. */
const isSafe = (value: string): boolean => /^[\w@%+=:,./-]+$/.test(value);

const oneLine = (what: string): string => printable(what.replaceAll(/\s+/g, " ")).slice(0, 80);
