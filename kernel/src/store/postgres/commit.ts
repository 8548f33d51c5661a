// Commit: a batch of extensions as one transaction, by the locks on which it is decided what each of them may
// do (STORE-2); then the writes, the commit function and the commit, all at once: two round trips.
//
// Locks are taken in one order on every node, chains first and spend last: two that wait for each other are
// noticed by the server only after a second.

import type { CommitResult, Extension, SharedHistory, Write } from "../contract.ts";
import type { ProcessKey } from "../rows.ts";
import { birthCheckOf, inClaimOrder, isJudgedBy } from "../birth-claims.ts";
import { isOfUnborn } from "../schedule-writes.ts";
import { statementsOf, wholeNumber, type Statement } from "../writes.ts";
import { columnsOf } from "./commit-columns.ts";
import { CALL_COMMIT_FUNCTION } from "./commit-function.ts";
import type { Clients, RunStatement } from "./connection.ts";
import { inLockOrder } from "./lock-order.ts";
import { locks } from "./locks.ts";
import { manyRows } from "./many-rows.ts";

const LOCK_ENDS = `
  select process, epoch, seq from chain where process = any(?::bigint[]) order by process for no key update`;

const LOCK_BLOBS = "select pg_advisory_xact_lock_shared(?)";

/** Locked, so that it is not compacted before the fork that shares it is there to be seen. */
const LOCK_HISTORY = `
  select shared.key, shared.at from process join chain on chain.process = process.key
      join unnest(?::bigint[], ?::bigint[]) as shared (key, at) on shared.key = process.key
    where compacted = 0 and chain.seq >= shared.at order by process.key for share of process`;

interface End {
  readonly epoch: number;
  readonly seq: number;
}
type Ends = Map<ProcessKey, End>;

export async function commitInTransaction(
  clients: Clients,
  extensions: readonly Extension[],
  given: readonly Write[],
): Promise<CommitResult> {
  return clients.transaction(async (run, send) => {
    const ends = await lockEnds(run, extensions, given);
    const writes = await withoutRefusedBirths(run, given);
    const { admitted, fenced } = admit(ends, extensions, writes);
    const all = [...writes, ...admitted.flatMap((extension) => extension.writes)];
    for (const [sql, values] of statementsInOrder(all)) send(sql, values);
    if (admitted.some(({ records, spend }) => records.length + spend.length > 0))
      send(CALL_COMMIT_FUNCTION, columnsOf(admitted));
    await mustHaveHistory(run, all);
    return { fenced };
  });
}

/** SCHEDULE-WRITES-1, FLEET-WRITES-1. What is left of the writes. */
async function withoutRefusedBirths(
  run: RunStatement,
  writes: readonly Write[],
): Promise<readonly Write[]> {
  const claims = writes.flatMap((write) => {
    const claim = birthCheckOf(write);
    return claim === undefined ? [] : [{ write, ...claim }];
  });
  if (claims.length === 0) return writes;
  const changes = writes.filter(isJudgedBy);
  for (const [sql, values] of changes.flatMap((write) => statementsOf(write)))
    await run(sql, values);
  const refused = new Set<Write>(changes); // they are made
  const unborn = new Set<ProcessKey>();
  await Promise.all(
    claims.toSorted(inClaimOrder).map(async ({ write, statement: [sql, values], birth }) => {
      if ((await run(sql, values.map(wholeNumber))).length > 0) return;
      refused.add(write);
      if (birth !== undefined) unborn.add(birth);
    }),
  );
  return writes.filter((write) => !refused.has(write) && !isOfUnborn(write, unborn));
}

/** New processes come first, many with one statement: nobody waits for rows that do not exist yet. */
function statementsInOrder(writes: readonly Write[]): Statement[] {
  const isBirth = (write: Write) => write.op === "process.add";
  const others = writes.filter((write) => !isBirth(write));
  return [
    ...manyRows(writes.filter(isBirth).flatMap(firstSeqOfItsOwn)),
    ...inLockOrder(withoutRepeats(others)).flatMap(firstSeqOfItsOwn),
  ];
}

/** A manifest that is put under its hash is the same each time. */
function withoutRepeats(writes: readonly Write[]): Write[] {
  const put = new Set<string>();
  return writes.filter((write) => {
    if (write.op !== "manifest.put") return true;
    const key = `${write.tenant} ${write.hash}`;
    return !put.has(key) && put.add(key);
  });
}

async function lockEnds(
  run: RunStatement,
  extensions: readonly Extension[],
  writes: readonly Write[],
): Promise<Ends> {
  const putsBlobs = [writes, ...extensions.map((extension) => extension.writes)]
    .flat()
    .some((write) => write.op === "blob.put");
  const [rows] = await Promise.all([
    run(LOCK_ENDS, [extensions.map((extension) => extension.process)]),
    putsBlobs ? run(LOCK_BLOBS, [locks.blobs]) : undefined,
  ]);
  return new Map(
    rows.map((row) => [
      Number(row["process"]),
      { epoch: Number(row["epoch"]), seq: Number(row["seq"]) },
    ]),
  );
}

/** Which extensions continue the chain as it is when their turn comes (STORE-2, STORE-3). */
function admit(ends: Ends, extensions: readonly Extension[], writes: readonly Write[]) {
  const admitted: Extension[] = [];
  const fenced: ProcessKey[] = [];
  const begin = (write: Write) => {
    if (write.op === "process.add")
      ends.set(write.row.key, { epoch: 1, seq: write.shared?.at ?? -1 });
  };
  writes.forEach(begin);
  for (const extension of extensions) {
    const { process, epoch, firstSeq, records } = extension;
    const end = ends.get(process);
    if (end?.epoch !== epoch || (records.length > 0 && end.seq !== firstSeq - 1)) {
      fenced.push(process);
      continue;
    }
    admitted.push(extension);
    ends.set(process, { epoch, seq: end.seq + records.length });
    extension.writes.forEach(begin);
  }
  return { admitted, fenced };
}

/** A chain's `pos` is here the first seq that is not shared. */
const firstSeqOfItsOwn = (write: Write) =>
  statementsOf(
    write,
    write.op === "process.add" && write.shared !== undefined ? write.shared.at + 1 : 0,
  );

/** The history that a fork shares may be of this very commit: it is looked for after all that is written. */
async function mustHaveHistory(run: RunStatement, writes: readonly Write[]): Promise<void> {
  const shared = writes.flatMap((write) =>
    write.op === "process.add" && write.shared !== undefined ? [write.shared] : [],
  );
  if (shared.length === 0) return;
  const found = await run(LOCK_HISTORY, [
    shared.map(({ from }) => from),
    shared.map(({ at }) => at),
  ]);
  const isThere = ({ from, at }: SharedHistory) =>
    found.some((row) => row["key"] === from && row["at"] === at);
  const missing = shared.find((history) => !isThere(history));
  if (missing !== undefined) throw new Error(`no record ${missing.at} to share`);
}
