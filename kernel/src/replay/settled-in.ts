// SettledIn: what a recorded call came to, read from the text of its record.

import type { CallRecord, Json } from "@aos/protocol";
import { hasBlob } from "../journal/codec.ts";
import { settledOf, settledText } from "../journal/record-text.ts";

/** What follows the arguments, if it is as it would be written from what it says; else undefined. */
export function settledIn(rest: string): RecordedOutcome | undefined {
  if (rest === NULL_ANSWER) return NOTHING_SAID;
  if (hasBlob(rest)) return undefined;
  try {
    const record = JSON.parse(`{${rest.slice(1)}`) as RecordedOutcome;
    return `${settledText(settledOf(record as never))}}` === rest ? record : undefined;
  } catch {
    return undefined;
  }
}

export type RecordedOutcome = { readonly ok?: Json; readonly err?: CallRecord["err"] };

const NULL_ANSWER = ',"ok":null}';
const NOTHING_SAID: RecordedOutcome = { ok: null };
