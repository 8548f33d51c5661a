// Spending: what a process and those below it had spent by a moment, added up from their records.

import type { Life, Lives } from "./history.ts";
import { between, checkOf, pastOf, type Past } from "./past.ts";
import { NotJudged } from "./selectors.ts";

export interface Spent {
  readonly usd: number;
  readonly tokens: number;
  readonly toolCalls: number;
}

export const NOTHING_SPENT: Spent = { usd: 0, tokens: 0, toolCalls: 0 };

function isBelow(lives: Lives, life: Life, above: Life): boolean {
  if (life.pid === above.pid) return true;
  const parent = life.parent === null ? undefined : lives.get(life.parent);
  return parent !== undefined && isBelow(lives, parent, above);
}

/** By its place in the journal of the process itself, by the clock for those below. */
function isBefore({ life, came }: Past, now: Past, isMost: boolean): boolean {
  const [from, to] = between(now);
  if (life.pid !== now.life.pid) return isMost ? came.at <= to : came.at < from;
  const { cause, seq } = now.begun;
  return isMost || typeof cause !== "number" ? came.seq < seq : came.seq <= cause;
}

/** A tool that was run counts, also when it failed; whether a call that failed came to that is not known. */
export function spentBefore(lives: Lives, now: Past, isMost: boolean): Spent {
  const { life } = now;
  if (life.ownFrom > 0) throw new NotJudged("the money of a fork");
  const spent = { usd: 0, tokens: 0, toolCalls: 0 };
  for (const one of lives.values()) {
    if (!isBelow(lives, one, life)) continue;
    for (const past of pastOf(one)) {
      const { call, came } = past;
      if (!isBefore(past, now, isMost)) continue;
      spent.usd += came.usd ?? 0;
      spent.tokens += came.tokens ?? 0;
      const isRun = came.err === undefined || (isMost && checkOf(past) === undefined);
      if (call === "exec" && isRun) spent.toolCalls += 1;
    }
  }
  return spent;
}
