// Prints names and values one below the other, with nested parts indented.

import type { Json } from "@aos/protocol/words";
import { stringify } from "yaml";
import { facts } from "./table.ts";

/** Leaves out what is not there. */
export function detailText(
  pairs: readonly (readonly [name: string, value: string | null | undefined])[],
  detail?: Json,
): string {
  const there = pairs.filter(
    (pair): pair is readonly [string, string] => pair[1] !== null && pair[1] !== undefined,
  );
  const head = facts(there);
  return detail === undefined ? head : `${head}\n\n${stringify(detail).trimEnd()}`;
}

/** Several things in one place: one below the other. */
export const each = (texts: readonly string[]): string =>
  texts.length === 0 ? "none" : texts.join("\n  ");
