// Opening: what would let an attack of the catalogue through. The tests open it and see the attack get
// through, so that no attack is one that cannot.
//
// OPENING-1  All of it together lets the attack through.

import type { Weakness } from "@aos/attacks";

/** A line of the enforcement, and what it would have to be for the attack to get through. */
export interface Line {
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

export interface Opening {
  readonly configured?: readonly Weakness[];
  readonly lines?: readonly Line[];
}
