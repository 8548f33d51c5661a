// MemorySpace: whose long-term memory a new process has (protocol/memory-space.ts). The same agent has the same space
// in its next run; no manifest can name the space of another.
//
// SPACE-1  A name is a space only where the host itself found the agent by that name; what a manifest calls itself is
//     not asked. A manifest from a folder has a space of that folder, `NAME@DIGEST`; one that came without a folder has
//     `NAME@inline`.
// SPACE-2  A child has a space below its parent's, `PARENT~NAME`, whatever agent it is: a process reaches no space by
//     spawning.
// SPACE-4  What a person gives an agent by its name is for the agent that the host finds by that name, not for a manifest
//     of a folder or of a request that calls itself so. An answer "always" is bound to what would run instead.
// SPACE-3  `@` and `~` are in no name of an agent, so that two of these never give one space.

import { digestOf } from "../journal/codec.ts";
import type { BlockSpec, ProcessSpec } from "../store/rows.ts";

interface SpaceOrigin {
  /** The name by which the host found it, if it did. */
  readonly registeredAs: string | undefined;
  /** What its manifest says. */
  readonly name: string;
  /** The real path of where its manifest comes from. */
  readonly folder: string | undefined;
}

const DIGEST_CHARACTERS = 20;
/** A longer name of a space is shortened by its digest. */
const MAX_SPACE = 160;

/** SPACE-3. A program of a library may have any name. */
const plainName = (name: string): string =>
  /^[a-z0-9][a-z0-9._-]{0,62}$/.test(name) ? name : `@${digestText(name)}`;

const digestText = (text: string): string => digestOf(text).slice(0, DIGEST_CHARACTERS);

/** SPACE-1. */
export function spaceOfRoot({ registeredAs, name, folder }: SpaceOrigin): string {
  if (registeredAs !== undefined) return plainName(registeredAs);
  return `${name}@${folder === undefined ? "inline" : digestText(folder)}`;
}

/** SPACE-1. Whether the host found a process's agent by its name; a child always is, unless its manifest is inline. */
const isFoundByName = (space: string | undefined): boolean =>
  space === undefined || space.includes("~") || !/.@/.test(space);

/** SPACE-4. */
export const reachesByName = (
  blocks: readonly BlockSpec[],
  { memorySpace }: Pick<ProcessSpec, "memorySpace">,
): boolean => blocks.at(-1)!.standing !== undefined || isFoundByName(memorySpace);

/** SPACE-2. A child of a process from before there were spaces is bound to that process. */
export function spaceOfChild(
  parent: { readonly space: string | undefined; readonly pid: string },
  name: string,
): string {
  const own = plainName(name);
  const whole = `${parent.space ?? parent.pid}~${own}`;
  return whole.length <= MAX_SPACE ? whole : `~${digestText(whole)}~${own}`;
}
