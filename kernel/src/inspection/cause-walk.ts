// Cause walk: from a record back to everything that led to it, across processes.
//
//   walkCauses(history, id)    the records by name, the requested one first
//
// CAUSE-WALK-1  The causes of a call are everything that its process had received then, and external events: a
//     message, a child, a person.
// CAUSE-WALK-2  Records of other tenants are never followed.
// CAUSE-WALK-3  Every record is visited once; the walk always ends.

import type { Cause, JournalRecord } from "@aos/protocol";

export interface History<Owner> {
  readonly pid: string;
  readonly tenant: number;
  readonly owner: Owner;
  /** By seq. */
  readonly records: readonly JournalRecord[];
}

export interface CauseStep<Owner> {
  readonly history: History<Owner>;
  readonly record: JournalRecord;
  readonly from: readonly string[];
}

/** Undefined for a missing record. */
export type FindHistory<Owner> = (pid: string) => Promise<History<Owner> | undefined>;

const MOST_STEPS = 20_000;

export const causeName = (pid: string, seq: number): string => `${pid}#${seq}`;

export async function walkCauses<Owner>(
  find: FindHistory<Owner>,
  pid: string,
  seq: number,
): Promise<Map<string, CauseStep<Owner>>> {
  const steps = new Map<string, CauseStep<Owner>>();
  const histories = new Map<string, History<Owner> | undefined>();
  const ahead = [causeName(pid, seq)];
  let tenant: number | undefined;
  for (let at = 0; at < ahead.length && steps.size < MOST_STEPS; at++) {
    const name = ahead[at]!;
    const place = readName(name);
    if (place === undefined || steps.has(name)) continue; // CAUSE-WALK-3
    if (!histories.has(place.pid)) histories.set(place.pid, await find(place.pid));
    const history = histories.get(place.pid);
    const record = history?.records[place.seq];
    if (history === undefined || record === undefined) continue;
    tenant ??= history.tenant;
    if (history.tenant !== tenant) continue; // CAUSE-WALK-2
    const from = cameFrom(history, record);
    steps.set(name, { history, record, from });
    ahead.push(...from);
  }
  return steps;
}

const NAME = /^(agt_[0-9a-z]+)#(\d+)$/;

export function readName(name: string): { pid: string; seq: number } | undefined {
  const found = NAME.exec(name);
  return found === null ? undefined : { pid: found[1]!, seq: Number(found[2]) };
}

/** CAUSE-WALK-1: what is of the same process first. */
function cameFrom({ pid, records }: Pick<History<unknown>, "pid" | "records">, of: JournalRecord) {
  const { cause } = of;
  const own = (seq: number | undefined) => (seq === undefined ? [] : [causeName(pid, seq)]);
  const outside = (why: Cause) => (typeof why === "string" ? [why] : []);
  if (of.kind === "start") return outside(cause);
  if (of.kind === "fork") return [...own(of.shared), ...outside(cause)];
  if (of.kind === "outcome") return [...own(intentOf(records, of.n, of.seq)), ...outside(cause)];
  const told = typeof cause === "number" ? cause : lastTold(records, of.seq);
  const forked = forkBetween(records, told, of.seq);
  return [...own(forked ?? told), ...toldWith(records, told).flatMap(own), ...outside(cause)];
}

/** A fork has no other cause, and everything it does follows from it. */
function forkBetween(
  records: readonly JournalRecord[],
  told: number | undefined,
  before: number,
): number | undefined {
  if (told === undefined) return undefined;
  return records.slice(told + 1, before).findLast(({ kind }) => kind === "fork")?.seq;
}

function intentOf(
  records: readonly JournalRecord[],
  n: number,
  before: number,
): number | undefined {
  for (let seq = before - 1; seq >= 0; seq--) {
    const record = records[seq];
    if (record?.kind === "intent" && record.n === n) return seq;
  }
  return undefined;
}

/** Where a record names only an outside caller: what its process had received until then. */
function lastTold(records: readonly JournalRecord[], before: number): number | undefined {
  for (let seq = before - 1; seq >= 0; seq--) {
    const kind = records[seq]?.kind;
    if (kind !== "intent" && kind !== "grant" && kind !== "revoke") return seq;
  }
  return undefined;
}

/** The other results of calls that were made together with this one, as far as they were told before it. */
function toldWith(records: readonly JournalRecord[], told: number | undefined): number[] {
  const last = told === undefined ? undefined : records[told];
  if (last === undefined || (last.kind !== "call" && last.kind !== "outcome")) return [];
  if (typeof last.cause !== "number") return [];
  return records
    .slice(last.cause + 1, last.seq)
    .filter(({ kind, cause }) => (kind === "call" || kind === "outcome") && cause === last.cause)
    .map(({ seq }) => seq);
}
