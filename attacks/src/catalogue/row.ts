// A row of the catalogue: one attack, and what stops it.
//
// ATTACK-ROW-1  Whether it got through is decided by what happened: a file, a server's visits, a tool's runs, a
//     journal. Never by what an error says.

import type { Range, RangeMode } from "../range.ts";

/** What must be there for an attack to mean anything. */
export type Need = "links" | "proc" | "a name of the loopback" | "small limits";

export interface AttackOutcome {
  readonly gotThrough: boolean;
  readonly detail: string;
}

export interface AttackRow {
  /** The group's letter and a number. */
  readonly id: string;
  /** What it tries, in a sentence. */
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

/** The code that a call came to, or `ok`. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: { code?: string }) => error.code ?? "?",
  );

/** What a call gave, or the code of its failure as a value. */
export const gotOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch((error: { code?: string }) => ({ failed: error.code ?? "?" }));

export const sleepMs = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
