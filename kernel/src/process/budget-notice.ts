// Budget notice: SIGBUDGET about a used part of a limit, which ends nothing by itself. Its cause has the part and the
// unit, so the journal has it and a replay delivers the same.
//
//   readNotice("SIGBUDGET", "80% of its wall")    { part: 80, unit: "wall" }
//
// The text of a cause is a journal format; only this file writes and reads it.

import type { Cause, SignalName } from "@aos/protocol";

export const noticeCause = (part: number, unit: string): string => `${part}% of its ${unit}`;

export interface BudgetNotice {
  /** The percent of the limit that is used. */
  readonly part: number;
  /** `usd`, `tokens`, `wall`: what is limited. */
  readonly unit: string;
}

/** Undefined where the signal is no notice: all of a limit is used, or it is another signal. */
export function readNotice(signal: SignalName, cause: Cause): BudgetNotice | undefined {
  if (signal !== "SIGBUDGET" || typeof cause !== "string") return undefined;
  const [, part, unit] = /^(\d+)% of its (\w+)$/.exec(cause) ?? [];
  return part === undefined || unit === undefined ? undefined : { part: Number(part), unit };
}

/** The percent of a limit that is used; undefined where it is all of it. */
export const noticedPart = (signal: SignalName, cause: Cause): number | undefined =>
  readNotice(signal, cause)?.part;

/** What a program is told of a signal. */
export const signalTold = (signal: SignalName, cause: Cause) => {
  const part = noticedPart(signal, cause);
  return { kind: "signal", signal, ...(part === undefined ? {} : { part }) } as const;
};
