// ItemVersion: which version of a fleet's agent an item gets while a roll is under way.
//
// ITEM-VERSION-1  By the id of the item, so that all its attempts get the same.

import { createHash } from "node:crypto";

/** From 0 up to 1, the same for the same text. */
const placeOf = (text: string): number =>
  createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;

export interface RollShare {
  readonly to: number;
  readonly share: number;
  readonly first: number | undefined;
  readonly isPaused: boolean;
}

/** `had` is the version of its attempt before, `given` how many items the new version has got. */
export function itemVersion(
  id: string,
  had: number | null,
  stable: number,
  roll: RollShare | undefined,
  given: number,
): number {
  if (roll === undefined || roll.isPaused) return stable;
  const { to, share, first } = roll;
  if (had === to) return to;
  if (had === stable) return stable;
  const isChosen = first === undefined ? placeOf(`${to}:${id}`) < share : given < first;
  return isChosen ? to : stable;
}
