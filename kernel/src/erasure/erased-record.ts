// Erased record: a record without what is to be forgotten. What the audit adds up stays: kind, number, time, cause,
// call, cost, label and power.
//
// ERASED-RECORD-1  Only what programs, models, tools and people said is changed.

import type { Json, JsonObject } from "@aos/protocol";
import { encodeText } from "../journal/codec.ts";
import type { WantedText } from "./wanted-text.ts";

/** ERASED-RECORD-1. */
const SAID = ["args", "ok", "err", "input", "output", "error", "also", "reason", "words", "why"];

/** What stands for a large value that is erased. */
export const ERASED_VALUE = `{"$erased":true}`;

/** Undefined where nothing in it has to go. */
export function erasedRecord(text: string, wanted: WantedText): string | undefined {
  if (!wanted.isIn(text)) return undefined;
  const record = JSON.parse(text) as JsonObject;
  let isChanged = false;
  for (const name of SAID) {
    const said = record[name];
    if (said === undefined || (name === "args" && record["call"] === "grant")) continue;
    const rest = wanted.withoutIt(said);
    if (rest === said) continue;
    record[name] = rest;
    isChanged = true;
  }
  return isChanged ? JSON.stringify(record) : undefined;
}

/** The same of an output or error in the row of a process; a large one goes as its value in the journal does. */
export function erasedResult(value: Json, wanted: WantedText): string | null {
  const text = JSON.stringify(value);
  if (value === null) return null;
  if (encodeText(text).blobs.length > 0) return wanted.isIn(text) ? ERASED_VALUE : text;
  return JSON.stringify(wanted.withoutIt(value));
}
