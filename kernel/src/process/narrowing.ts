// Narrowing: the tools that skills allow a process. Reading a skill with allowed tools limits the process to them,
// from the record of that read on.
//
//   narrow(process, "review-change", ["file.read", "git.*"])
//   keptFrom(process, "shell.execute")      the skill that does not allow it, or undefined
//
// NARROWING-1  It only narrows: a tool must be in the list of every skill that was read. No list is undone, and none
//     grants anything.
// NARROWING-2  It is in the journal: in the record that changed it, and in every checkpoint and restart, so that
//     replay and a new daemon find the same.
// NARROWING-3  A child starts with the narrowing of its parent.

import { isNamed, type JournalRecord, type Narrowing } from "@aos/protocol";
import type { Process } from "./process.ts";

const NOTHING_HOLDS_IT: Narrowing = [];

/** Beside the processes: of most there is nothing to say. */
const found = new WeakMap<Process, Narrowing>();

export const narrowingOf = (process: Process): Narrowing =>
  found.get(process) ?? process.row.spec.narrowing ?? NOTHING_HOLDS_IT;

/** NARROWING-1. True when that changed something. */
export function narrow(process: Process, skill: string, tools: readonly string[]): boolean {
  const before = narrowingOf(process);
  const isSame = (one: Narrowing[number]) =>
    one.skill === skill && one.tools.join(" ") === tools.join(" ");
  if (before.some(isSame)) return false;
  found.set(process, [...before, { skill, tools: [...tools] }]);
  return true;
}

/** NARROWING-2. Takes in what a record says. */
export function narrowAgain(process: Process, record: JournalRecord): void {
  const { narrowing = NOTHING_HOLDS_IT } = record as { readonly narrowing?: Narrowing };
  for (const { skill, tools } of narrowing) narrow(process, skill, tools);
}

/** For a record or a row that must say it; nothing where there is nothing. */
export function narrowingField(process: Process): { readonly narrowing?: Narrowing } {
  const narrowing = narrowingOf(process);
  return narrowing.length === 0 ? {} : { narrowing };
}

/** The first that keeps it from a tool. */
export const keptFrom = (process: Process, tool: string): Narrowing[number] | undefined =>
  narrowingOf(process).find(({ tools }) => !isNamed(tool, tools));
