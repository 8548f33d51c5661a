// Compaction heads: what the signed log is told of runs before their history goes.

import { resultDigest } from "../audit/audit-rows.ts";
import { hexOf } from "../journal/chain.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";

export async function compactionHeads(
  store: Store,
  runs: readonly { readonly key: ProcessKey; readonly pid: string }[],
) {
  const heads = [];
  for (const { key, pid } of runs) {
    const [row, chain] = await Promise.all([store.processByKey(key), store.chain(key)]);
    if (row === undefined || chain === undefined) continue; // another node was faster
    const { seq, hash } = chain;
    heads.push({ pid, seq, hash: hexOf(hash), result: resultDigest(row, chain) });
  }
  return heads;
}
