// Causes: which records of a causal chain are plain intermediate steps. operations/why.ts has the chain itself.

import type { CauseLink } from "./operations/why.ts";

/** A record that only led on: nothing was refused, decided, asked, read for the first time or said from outside. */
export const isPlain = ({ kind, code, verdict, label, people, from, pid }: CauseLink): boolean =>
  (kind === "call" || kind === "intent" || kind === "outcome") &&
  code === null &&
  verdict === null &&
  label === null &&
  people.length === 0 &&
  from.every((one) => one.startsWith(`${pid}#`));
