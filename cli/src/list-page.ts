// A page of a list: its size, and the note when there are more entries.

import type { CommandCall } from "./command.ts";
import { readNumberOption } from "./read-number.ts";

/** As many as were wished for, or as are listed where nothing is said; never more than at once. */
export function readLimit(
  options: CommandCall["options"],
  { usual, most }: { usual: number; most: number },
): number {
  return Math.min(readNumberOption(options.text("limit"), "--limit") ?? usual, most);
}

/** `next`: the command that lists the next page. */
export function printMoreHint(
  out: CommandCall["out"],
  { listed, most, next }: { listed: number; most: number; next: string },
): void {
  const cut = listed >= most ? ` (at most ${most} at once)` : "";
  out.note(`${listed} listed${cut}; for more: ${next}`);
}
