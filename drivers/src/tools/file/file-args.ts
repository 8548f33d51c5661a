// What the file tools share: limits, touches and sinks.

import { existsSync } from "node:fs";
import type { CallPlace, Label, Sink, Touch } from "@aos/protocol";
import { isIn } from "../../workspace/mapping.ts";
import { isUndoable } from "../shell/run-sinks.ts";

/** A count of bytes tells a process nothing that it did not know. */
export const NOTHING_NEW: Label = { integrity: "trusted", secrecy: "public" };

export type FileVerb = "read" | "write" | "list" | "remove";

export const fileTouch = (verb: FileVerb, resource: string): Touch => ({
  kind: "file",
  resource,
  verb,
});

export const touchesFile =
  (verb: FileVerb) =>
  ({ path }: { path: string }): Touch[] => [fileTouch(verb, path)];

/** What is done in a workspace that can be put back is never for good. */
export const canBeUndone = (path: string, place: CallPlace): boolean =>
  isIn("/work", path) && isUndoable(place);

/** What was there is gone for good. Where there was nothing, nothing is lost. */
export function replacing(path: string, place: CallPlace): readonly Sink[] {
  if (canBeUndone(path, place)) return ["write"];
  return isIn("/work", path) || existsSync(path) ? ["destructive"] : ["write"];
}

export const removing = (path: string, place: CallPlace): readonly Sink[] =>
  canBeUndone(path, place) ? ["write"] : ["destructive"];
