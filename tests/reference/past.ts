// Past: a call as far as the journal has it, when it was decided, and what it came to.

import type { CallRecord, IntentRecord, Json, OutcomeRecord } from "@aos/protocol";
import type { Life } from "./history.ts";

export interface Past {
  readonly life: Life;
  readonly call: string;
  readonly args: Json;
  readonly begun: CallRecord | IntentRecord;
  readonly came: CallRecord | OutcomeRecord;
}

/** From the first moment at which it can have been to the last. */
export type Between = readonly [from: number, to: number];

export function* pastOf(life: Life): Generator<Past> {
  const intents = new Map<number, IntentRecord>();
  for (const record of life.records) {
    if (record.seq < life.ownFrom) continue;
    if (record.kind === "intent") intents.set(record.n, intents.get(record.n) ?? record);
    if (record.kind === "call")
      yield { life, call: record.call, args: record.args, begun: record, came: record };
    const intent = record.kind === "outcome" ? intents.get(record.n) : undefined;
    if (record.kind === "outcome" && intent !== undefined)
      yield { life, call: intent.call, args: intent.args, begun: intent, came: record };
  }
}

/** The gate decided after the program was told what made it ask, and before it was recorded. */
export function between({ life, begun }: Past): Between {
  const cause = typeof begun.cause === "number" ? life.records[begun.cause] : undefined;
  return [Math.min(cause?.at ?? life.startedAt, begun.at), begun.at];
}

export type Check = "capability" | "policy" | "labels";

export const checkOf = ({ came }: Past): Check | undefined =>
  (came.err?.detail as { check?: Check } | undefined)?.check;

/** Refused by a check, or by a person: nothing was used up. */
export const isRefused = (past: Past): boolean =>
  checkOf(past) !== undefined || past.came.err?.code === "EDENIED";

/** Why a call says nothing of the gate. */
export function isLeftOut(past: Past): string | undefined {
  const { came, call } = past;
  if (came.err !== undefined && !isRefused(past)) return "failed by itself";
  if (came.err?.code === "EDENIED" && call === "ask") return "a person's no to a question";
  if (came.verdict === "given by the operator") return "given by the operator";
  return came.verdict?.includes("taken as done") === true ? "taken as done" : undefined;
}
