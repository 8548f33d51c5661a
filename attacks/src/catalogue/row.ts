// A row of the catalogue: one attack, and what stops it.
//
// ATTACK-ROW-1  An attack is judged by what happened (a file, the visits of a server, the runs of a tool, a journal),
//               never by the text of an error.

import type { Range, RangeMode } from "../range.ts";

/** What an attack needs to be meaningful. */
export type Need = "links" | "proc" | "a name of the loopback" | "small limits";

export interface AttackOutcome {
  readonly gotThrough: boolean;
  readonly detail: string;
}

export interface AttackRow {
  /** The letter of the group and a number. */
  readonly id: string;
  /** What the attack tries to do, for the catalogue. */
  readonly name: string;
  readonly stoppedBy: string;
  readonly needs?: readonly Need[];
  readonly mode?: Omit<RangeMode, "weak">;
  run(range: Range): Promise<AttackOutcome>;
}

export interface AttackGroup {
  readonly letter: string;
  readonly name: string;
  readonly rows: readonly AttackRow[];
}

export const tried = (gotThrough: boolean, detail: string): AttackOutcome => ({
  gotThrough,
  detail,
});

/** The failure code of a call, or `ok`. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: { code?: string }) => error.code ?? "?",
  );

/** The result of a call, or the code of its failure as a value. */
export const gotOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: { code?: string }) => ({ failed: error.code ?? "?" }));

export const sleepMs = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
