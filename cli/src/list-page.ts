// A page of a list: how many are asked for, and what is said where there are more.

import type { Call } from "./command.ts";
import { readNumber } from "./read-number.ts";

/** As many as were wished for, or as are listed where nothing is said; never more than at once. */
export function readLimit(
  options: Call["options"],
  { usual, most }: { usual: number; most: number },
): number {
  return Math.min(readNumber(options.text("limit"), "--limit") ?? usual, most);
}

/** `next`: the command that lists the next page. */
export function sayMore(
  out: Call["out"],
  { listed, most, next }: { listed: number; most: number; next: string },
): void {
  const cut = listed >= most ? ` (at most ${most} at once)` : "";
  out.note(`${listed} are listed${cut}, and there are more: ${next}`);
}
