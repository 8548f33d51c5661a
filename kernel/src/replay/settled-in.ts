// SettledIn: what a recorded call came to, read from the text of its record.

import type { CallRecord, Json } from "@aos/protocol";
import { hasBlob } from "../journal/codec.ts";
import { type SettledOutcome, settledText } from "../journal/record-text.ts";

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

/** What a recorded call came to, as the parts that its text is written from. */
export function settledOf(record: SettledOutcome & { readonly ok?: unknown }): SettledOutcome {
  return {
    ...(record.err === undefined ? { ok: JSON.stringify(record.ok ?? null) } : { err: record.err }),
    ...(record.usd === undefined ? {} : { usd: record.usd }),
    ...(record.tokens === undefined ? {} : { tokens: record.tokens }),
    ...(record.label === undefined ? {} : { label: record.label }),
    ...(record.verdict === undefined ? {} : { verdict: record.verdict }),
    ...(record.stored === undefined ? {} : { stored: record.stored }),
    ...(record.also === undefined ? {} : { also: record.also }),
    ...(record.heldBy === undefined ? {} : { heldBy: record.heldBy }),
    ...(record.narrowing === undefined ? {} : { narrowing: record.narrowing }),
    ...(record.over === undefined ? {} : { over: record.over }),
  };
}

export type RecordedOutcome = { readonly ok?: Json; readonly err?: CallRecord["err"] };

const NULL_ANSWER = ',"ok":null}';
const NOTHING_SAID: RecordedOutcome = { ok: null };
