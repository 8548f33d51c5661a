// The sinks of a program's run. Without network its data goes no further than the files that it sees; changes in a
// private workspace or a copy can be undone.

import type { CallPlace, Sink } from "@aos/protocol";

export const isUndoable = ({ workspace }: CallPlace): boolean =>
  workspace.folder === undefined || workspace.isCow;

export function runSinks(place: CallPlace, isOnline: boolean): readonly Sink[] {
  return [...(isOnline ? (["egress"] as const) : []), isUndoable(place) ? "write" : "destructive"];
}
