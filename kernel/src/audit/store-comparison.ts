// Store comparison: compares the store with the signed log and the intent log. Heads are logged and intents noted
// only after their commit is durable, so a store that is behind them has lost commits: its write-ahead log was cut or
// removed, or an older copy was restored. A crash alone never causes this.

import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import { ledgerPid } from "../journal/ledger.ts";
import type { LoggedIntent } from "./intent-log.ts";
import type { StoredEnd, Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { LoggedHead } from "./audit-log.ts";

/** After so many heads in a row that fit, older ones are left to the full check. */
const SOUND_IN_A_ROW = 20_000;
/** So many of the last entries of a ledger are followed; older ones are left to the full check. */
const LEDGER_ENTRIES = 50_000;
const ENTRIES_AT_ONCE = 1000;

export type StoreRollback = {
  readonly pid: string;
  /** The last record that is known to have been there. */
  readonly known: number;
  /** The last that is there now; -1 where the process is not there at all. */
  readonly stored: number;
  /** `different`: the record that was logged is there, and is another one. */
  readonly kind: "behind" | "different" | "missing";
  readonly end: StoredEnd | undefined;
};

export interface StoreComparison {
  readonly heads: number;
  readonly setbacks: readonly StoreRollback[];
}

interface Known {
  seq: number;
  hash: string | undefined;
  /** Heads before this one are void. */
  isClosed: boolean;
  /** From where its chain goes on after a loss that was accepted. */
  accepted?: { readonly seq: number; readonly hash: string };
}

const LEDGER = ledgerPid("");

/** Whether a name in the log is that of a node's ledger. */
export const isLedger = (pid: string): boolean => pid.startsWith(LEDGER);

export async function compareStore(
  store: Store,
  bundles: AsyncIterable<readonly LoggedHead[]>,
  noted: ReadonlyMap<string, readonly LoggedIntent[]>,
  removed: ReadonlySet<string> = new Set(),
): Promise<StoreComparison> {
  const ends = new Map((await store.chainEnds()).map((end) => [end.pid, end]));
  for (const { node, seq, hash } of await store.ledgersGrownSince(0))
    ends.set(ledgerPid(node), {
      key: 0,
      pid: ledgerPid(node),
      root: 0,
      seq,
      hash,
      isEnded: true,
    });
  const known = new Map<string, Known>();
  let heads = 0;
  let sound = 0;
  scan: for await (const bundle of bundles)
    for (const { pid, seq, hash, accepted, compacted } of bundle) {
      heads += 1;
      if (removed.has(pid) && !ends.has(pid)) continue; // retention has removed it
      const before = known.get(pid);
      if (before?.isClosed !== true && (before === undefined || seq > before.seq || accepted)) {
        if (before === undefined || seq > before.seq)
          known.set(pid, { seq, hash, isClosed: false });
        if (accepted === true) {
          known.get(pid)!.isClosed = true;
          known.get(pid)!.accepted = { seq, hash };
        }
      }
      const isSound = (ends.get(pid)?.seq ?? -1) >= seq;
      if (compacted !== true) sound = isSound ? sound + 1 : 0;
      if (sound >= SOUND_IN_A_ROW) break scan;
    }
  for (const [pid, intents] of noted)
    for (const { seq } of removed.has(pid) ? [] : intents)
      if (seq > (known.get(pid)?.seq ?? -1))
        known.set(pid, { seq, hash: undefined, isClosed: true });

  const setbacks: StoreRollback[] = [];
  for (const [pid, { seq, hash, accepted }] of known) {
    const end = ends.get(pid);
    const stored = end?.seq ?? -1;
    const kind =
      (await judge(store, end, seq, hash)) ??
      (hash !== undefined && isLedger(pid) && seq >= 0
        ? await judgeLedger(store, pid, { seq, hash }, accepted)
        : undefined);
    if (kind !== undefined) setbacks.push({ pid, known: seq, stored, kind, end });
  }
  return { heads, setbacks };
}

async function judge(
  store: Store,
  end: StoredEnd | undefined,
  seq: number,
  hash: string | undefined,
): Promise<StoreRollback["kind"] | undefined> {
  if (seq < 0) return undefined; // its loss was accepted
  if (end === undefined) return "missing";
  if (end.seq < seq) return "behind";
  if (hash === undefined || end.key === 0) return undefined;
  if (end.seq === seq) return hexOf(end.hash) === hash ? undefined : "different";
  if (end.isEnded) return undefined; // it does nothing any more: for the full check
  const [record] = await store.records(end.key, { after: seq - 1, upTo: seq });
  return record !== undefined && hexOf(record.hash) === hash ? undefined : "different";
}

/** The entries follow each other up to the one that was logged, and to the last. */
async function judgeLedger(
  store: Store,
  pid: string,
  head: { readonly seq: number; readonly hash: string },
  accepted: Known["accepted"],
): Promise<StoreRollback["kind"] | undefined> {
  const node = pid.slice(LEDGER.length);
  const start = Math.max(head.seq - LEDGER_ENTRIES, accepted?.seq ?? -1);
  let seq = start;
  let hash: string | undefined =
    start === accepted?.seq ? accepted.hash : start === -1 ? CHAIN_START : undefined;
  if (hash === undefined) {
    const [first] = await store.ledgerAfter(node, start - 1, 1);
    hash = first === undefined ? CHAIN_START : hexOf(first.hash);
  }
  for (;;) {
    const rows = await store.ledgerAfter(node, seq, ENTRIES_AT_ONCE);
    for (const row of rows) {
      hash = linkHash(hash, row.entry);
      if (row.seq !== seq + 1 || hash !== hexOf(row.hash)) return "different";
      seq = row.seq;
      if (seq === head.seq && hash !== head.hash) return "different";
    }
    if (rows.length < ENTRIES_AT_ONCE) return undefined;
  }
}

/** The trees that something was lost of: nothing of them runs. */
export function treesOf(
  setbacks: readonly StoreRollback[],
  noted: ReadonlyMap<string, readonly LoggedIntent[]>,
  ends: readonly StoredEnd[],
): Map<ProcessKey, StoreRollback[]> {
  const byPid = new Map(ends.map((end) => [end.pid, end]));
  const trees = new Map<ProcessKey, StoreRollback[]>();
  for (const setback of setbacks) {
    const root = noted.get(setback.pid)?.at(-1)?.root;
    const key = setback.end?.root ?? (root === undefined ? undefined : byPid.get(root)?.root);
    if (key === undefined || key === 0) continue;
    const known = trees.get(key);
    if (known === undefined) trees.set(key, [setback]);
    else known.push(setback);
  }
  return trees;
}

/** What is logged of one whose loss was accepted and that is not there. */
export const GONE = { seq: -1, hash: CHAIN_START } as const;
