// Case: one recorded call under one of the policies that may have been in force, and what is asked of it.

import type { Touch } from "@aos/protocol";
import type { Use } from "./counters.ts";
import type { Deed } from "./deeds.ts";
import { between, isLeftOut, type Past } from "./past.ts";
import { any, byChain, type Chain, type Judged, type Request } from "./power.ts";
import type { Reign } from "./reigns.ts";

export interface Case {
  readonly past: Past;
  readonly reign: Reign;
  readonly deed: Deed;
  /** Those that it may have been done by. */
  readonly chains: readonly Chain[];
}

export const isSame = (one: Touch, other: Touch): boolean =>
  one.kind === other.kind && one.resource === other.resource && one.verb === other.verb;

export const requestOf = ({ past, deed }: Case, touch: Touch): Request => {
  const [from, to] = between(past);
  const isFound = !deed.touches.some((one) => isSame(one, touch));
  return { touch, args: deed.args, between: [from, isFound ? past.came.at : to] };
};

export function ask(one: Case, touch: Touch): Judged {
  const said = one.chains.map((chain) => byChain(chain, requestOf(one, touch)));
  return {
    answer: any(said.map(({ answer }) => answer)),
    pins: said.flatMap(({ answer, pins }) => (answer === "no" ? [] : pins)),
    arePinsUnsure: said.some(({ arePinsUnsure }) => arePinsUnsure),
    counted: said.some(({ counted }) => counted),
  };
}

export const useOf = ({ past, deed }: Case, isOnly: boolean): Use => ({
  pid: past.life.pid,
  n: past.came.n,
  seq: past.came.seq,
  between: between(past),
  isCertain: isOnly && past.came.err === undefined && isLeftOut(past) === undefined,
  usd: (past.came.usd ?? 0) + (past.came.over?.usd ?? 0),
  worstUsd: worstUsd(deed),
});

/** Infinity where nobody can say any more. */
function worstUsd({ worst }: Deed): number {
  try {
    return worst().usd;
  } catch {
    return Infinity;
  }
}
