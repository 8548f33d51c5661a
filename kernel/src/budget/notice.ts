// Budget notice: SIGBUDGET that says that a part of a limit is used, and ends nothing by itself. Which part
// of what stands in its cause, so that the journal has it and a replay tells the program the same.

import type { Cause, SignalName } from "@aos/protocol";

export const noticeCause = (part: number, unit: string): string => `${part}% of its ${unit}`;

/** The percent of a limit that is used; undefined where it is all of it. */
export function noticedPart(signal: SignalName, cause: Cause): number | undefined {
  if (signal !== "SIGBUDGET" || typeof cause !== "string") return undefined;
  const part = /^(\d+)% of its \w+$/.exec(cause)?.[1];
  return part === undefined ? undefined : Number(part);
}

/** What a program is told of a signal. */
export const signalTold = (signal: SignalName, cause: Cause) => {
  const part = noticedPart(signal, cause);
  return { kind: "signal", signal, ...(part === undefined ? {} : { part }) } as const;
};
