// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Cut point: the positions at which a conversation may be split.
//
// CUT-POINT-1  Tool results stay on the same side as the message that called the tools.

import type { Message } from "@aos/protocol";

/** CUT-POINT-1. Results follow their calls at once, so only what begins with a result is torn. */
export const mayCutAt = (messages: readonly Message[], index: number): boolean =>
  messages[index]?.role !== "tool";

/** The last place at or before `index` where it may be cut. */
export function cutAtOrBefore(messages: readonly Message[], index: number): number {
  let cut = Math.max(0, Math.min(index, messages.length));
  while (cut > 0 && !mayCutAt(messages, cut)) cut -= 1;
  return cut;
}

/** The next place after `index`; its end where there is none. */
export function cutAfter(messages: readonly Message[], index: number): number {
  let cut = index + 1;
  while (cut < messages.length && !mayCutAt(messages, cut)) cut += 1;
  return Math.min(cut, messages.length);
}

/** Where the last message, or the last call with its results, begins. */
export const lastPart = (messages: readonly Message[]): number =>
  cutAtOrBefore(messages, messages.length - 1);
