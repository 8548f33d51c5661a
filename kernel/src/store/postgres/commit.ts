// Commit: a batch of extensions as one transaction.
//
// The ends of all chains of the batch are locked first, so that nobody can take a process over before
// we are done; what each extension may do is then decided on them (S2). After that come the writes,
// then all chain ends in one statement, then all records in one.
//
// Locks are taken in one order on every node, chains first: two that wait for each other are noticed by
// the server only after a second.

import type { CommitResult, Extension, SharedHistory, Write } from "../contract.ts";
import type { ProcessKey } from "../rows.ts";
import { addSpend, spendKey } from "../spend.ts";
import { statementsOf, type Statement } from "../writes.ts";
import type { Run } from "./connection.ts";
import { inLockOrder } from "./lock-order.ts";
import { locks } from "./locks.ts";

const LOCK_ENDS = `
  select process, epoch, seq from chain where process = any(?::bigint[]) order by process for no key update`;

const LOCK_BLOBS = "select pg_advisory_xact_lock_shared(?)";

const EXTEND = `
  update chain set seq = grown.seq, hash = grown.hash, grown_at = grown.at, micro_usd = chain.micro_usd + grown.micro_usd,
      tokens = chain.tokens + grown.tokens, tool_calls = chain.tool_calls + grown.calls, bytes = chain.bytes + grown.bytes,
      over_micro_usd = chain.over_micro_usd + grown.over_micro_usd, over_tokens = chain.over_tokens + grown.over_tokens
    from unnest(?::bigint[], ?::bigint[], ?::bytea[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
      as grown (process, seq, hash, at, micro_usd, tokens, calls, bytes, over_micro_usd, over_tokens)
    where chain.process = grown.process`;

const APPEND = `
  insert into journal (process, seq, tenant, record, hash)
    select * from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bytea[])`;

/** Locked, so that it is not compacted before the fork that shares it is there to be seen. */
const LOCK_HISTORY = `
  select shared.key, shared.at from process join chain on chain.process = process.key
      join unnest(?::bigint[], ?::bigint[]) as shared (key, at) on shared.key = process.key
    where compacted = 0 and chain.seq >= shared.at order by process.key for share of process`;

interface Growth {
  readonly process: ProcessKey;
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly at: number;
  readonly microUsd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly bytes: number;
  readonly overMicroUsd: number;
  readonly overTokens: number;
}

interface End {
  readonly epoch: number;
  readonly seq: number;
}
type Ends = Map<ProcessKey, End>;

export async function commitBatch(
  run: Run,
  extensions: readonly Extension[],
  writes: readonly Write[],
): Promise<CommitResult> {
  const ends = await lockEnds(run, extensions, writes);
  const { admitted, fenced } = admit(ends, extensions, writes);
  const all = [...writes, ...admitted.flatMap((extension) => extension.writes)];
  const longer = admitted.filter((extension) => extension.records.length > 0);
  await Promise.all([
    ...inLockOrder(all)
      .flatMap(firstSeqOfItsOwn)
      .map(([sql, values]) => run(sql, values)),
    ...spendInLockOrder(admitted).map(([sql, values]) => run(sql, values)),
    ...(longer.length === 0 ? [] : [run(EXTEND, growth(longer)), run(APPEND, journalRows(longer))]),
    mustHaveHistory(run, all),
  ]);
  return { fenced };
}

async function lockEnds(
  run: Run,
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

const spendInLockOrder = (extensions: readonly Extension[]): Statement[] =>
  extensions
    .flatMap(({ spend }) => spend)
    .map((row) => ({ row, key: spendKey(row) }))
    .sort((one, two) => (one.key < two.key ? -1 : Number(one.key > two.key)))
    .map(({ row }) => addSpend(row));

/** Which extensions continue the chain as it is when their turn comes (S2, S3). */
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

const NO_GROWTH = {
  microUsd: 0,
  tokens: 0,
  toolCalls: 0,
  bytes: 0,
  overMicroUsd: 0,
  overTokens: 0,
};

/** The columns of EXTEND: one row for each chain, however many extensions it has. */
function growth(extensions: readonly Extension[]) {
  const grown = new Map<ProcessKey, Growth>();
  const grow = ({ process, at, firstSeq, records, ...spent }: Extension): Growth => {
    const before = grown.get(process) ?? NO_GROWTH;
    return {
      process,
      seq: firstSeq + records.length - 1,
      hash: records.at(-1)!.hash,
      at,
      microUsd: before.microUsd + Math.floor(spent.microUsd),
      tokens: before.tokens + Math.floor(spent.tokens),
      toolCalls: before.toolCalls + spent.toolCalls,
      bytes: records.reduce((sum, record) => sum + record.text.length, before.bytes),
      overMicroUsd: before.overMicroUsd + spent.overMicroUsd,
      overTokens: before.overTokens + spent.overTokens,
    };
  };
  for (const extension of extensions) grown.set(extension.process, grow(extension));
  return columns(
    [...grown.values()],
    [
      "process",
      "seq",
      "hash",
      "at",
      "microUsd",
      "tokens",
      "toolCalls",
      "bytes",
      "overMicroUsd",
      "overTokens",
    ],
  );
}

/** The columns of APPEND. */
function journalRows(extensions: readonly Extension[]) {
  const rows = extensions.flatMap(({ process, tenant, firstSeq, records }) =>
    records.map(({ text, hash }, nth) => ({ process, seq: firstSeq + nth, tenant, text, hash })),
  );
  return columns(rows, ["process", "seq", "tenant", "text", "hash"]);
}

const columns = <Row, Name extends keyof Row>(rows: readonly Row[], names: readonly Name[]) =>
  names.map((name) => rows.map((row) => row[name]));

async function mustHaveHistory(run: Run, writes: readonly Write[]): Promise<void> {
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
