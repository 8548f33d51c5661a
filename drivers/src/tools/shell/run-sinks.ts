// Where what a program is given can go. Without network it goes no further than the files that it sees;
// those of a workspace of its own, or of a copy, can be taken back.

import type { CallPlace, Sink } from "@aos/protocol";

export const isUndoable = ({ workspace }: CallPlace): boolean =>
  workspace.folder === undefined || workspace.isCow;

export function runSinks(place: CallPlace, isOnline: boolean): readonly Sink[] {
  return [...(isOnline ? (["egress"] as const) : []), isUndoable(place) ? "write" : "destructive"];
}
