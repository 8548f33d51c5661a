// Load: restores a process from its rows and its journal.

import {
  SysError,
  type CallRecord,
  type JournalRecord,
  type Json,
  type StartRecord,
} from "@aos/protocol";
import { decodeValue } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import { readNotice } from "./budget-notice.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { StoredProcess } from "../store/queries.ts";
import type { AccountRegistry } from "./accounts.ts";
import type { BlockRegistry } from "./blocks.ts";
import type { Manifests } from "./manifests.ts";
import { Process } from "./process.ts";
import { restoreRecordedState, recordsFrom } from "./recorded-state.ts";
import { Replay } from "./replay.ts";

/** As many as a process can hold beside what it started with; the older are over, or are forgotten. */
export const MOST_GRANTS = 63;

interface Parts {
  readonly store: Store;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly manifests: Manifests;
}

/** A process without its history, of its rows as they are now: enough to look at it. */
export async function loadProcess(parts: Parts, key: ProcessKey): Promise<Process> {
  const spent = !parts.accounts.isKnown(key);
  const stored = await parts.store.stored(key, { records: "none", spent });
  if (stored === undefined) throw noSuchProcess(key);
  return processFromRows(parts, stored);
}

export const noSuchProcess = (key: ProcessKey): SysError =>
  new SysError("ENOENT", `unknown process ${key}`);

/** The same of what was read just now. */
export async function processFromRows(
  { blocks, accounts, manifests }: Omit<Parts, "store">,
  { row, chain, tenantName, holdings, blockStates, spent, hasAsked, wasAsked }: StoredProcess,
): Promise<Process> {
  const granted = holdings.filter(({ state }) => state !== "revoked").slice(-MOST_GRANTS);
  // All are begun at once: what was read may be another by the next turn of the event loop.
  const [block, account, manifest, ...held] = await Promise.all([
    blocks.restore(row.spec.blocks, row.tenant, blockStates),
    accounts.restore(row, { spent, tenantName }),
    manifests.of(row),
    ...granted.map((grant) => blocks.restore(grant.blocks, row.tenant, blockStates)),
  ]);
  const process = new Process({ row, chain, tenantName, manifest, block, account });
  process.isWhole = false;
  process.hasAsked = hasAsked;
  process.mailbox.wasAsked = wasAsked;
  for (const { handle, state } of holdings)
    if (state === "revoked") process.pastHandles.add(handle);
  for (const [nth, grant] of granted.entries()) {
    process.holdings.add({ handle: grant.handle, block: held[nth]! });
    process.grants.set(grant.handle, grant);
  }
  return process;
}

export interface ProcessImage {
  readonly input: Json;
  /** What the program is started with beside its input: its last checkpoint. */
  readonly state: Json | undefined;
  /** That checkpoint's seq. */
  readonly checkpoint: number | undefined;
}

/**
 * Puts the history into a shell. What is returned is what the program starts from: the record `base`, or,
 * where the state of that was dropped, the last before it that can be started from.
 */
export async function loadHistory(
  store: Store,
  process: Process,
  base = process.row.base,
  read?: ReadTexts,
): Promise<ProcessImage> {
  for (let from = base; ; from = await baseBefore(store, process, from)) {
    const image = await loadFrom(store, process, from, read);
    if (image !== undefined) return image;
  }
}

/** Records that were read, and proven, before: all from the first of them to the last that there is. */
type ReadTexts = Pick<StoredProcess, "first" | "texts">;

/** The records from this one on. */
async function historyFrom(
  store: Store,
  { key }: Process,
  from: number,
  read?: ReadTexts,
): Promise<JournalRecord[]> {
  if (read === undefined || from < read.first) return recordsFrom(store, key, from);
  return read.texts.slice(from - read.first).map(parseRecord);
}

/** The last checkpoint or restart before a record, or the start. */
async function baseBefore(store: Store, { key }: Process, seq: number): Promise<number> {
  const rows = await store.records(key, { upTo: seq - 1 });
  const base = rows
    .map(({ text }) => parseRecord(text))
    .findLast((record) => record.kind === "restart" || isCheckpoint(record));
  return base?.seq ?? 0;
}

const isCheckpoint = (record: JournalRecord | undefined): record is CallRecord =>
  record?.kind === "call" && record.call === "checkpoint" && record.err === undefined;

/** Undefined, and nothing is changed, where the state of that checkpoint was dropped. */
async function loadFrom(
  store: Store,
  process: Process,
  from: number,
  read?: ReadTexts,
): Promise<ProcessImage | undefined> {
  const fetch = (digest: string) => store.blob(process.tenant, digest);
  const records = await historyFrom(store, process, from, read);
  const recordAt = async (seq: number) =>
    seq >= from ? records[seq - from] : oneRecord(store, process.key, seq, read);
  const start = (await recordAt(0)) as StartRecord;
  if (start?.kind !== "start")
    throw new SysError("ECORRUPT", `the journal of ${process.pid} has no start`);
  const base = records[0]!;
  const tail = records.slice(1);
  const checkpoint =
    base.kind === "restart" && base.from !== undefined ? await recordAt(base.from) : base;
  const isOne = isCheckpoint(checkpoint);
  const state = isOne ? await stateOf(checkpoint, fetch) : undefined;
  if (isOne && state === undefined) {
    if (base.kind !== "restart") return undefined;
    throw new SysError("ECORRUPT", `the state that ${process.pid} was restarted from is missing`);
  }
  process.issued = base.kind === "call" ? base.n : base.kind === "restart" ? base.issued : 0;
  process.told = base.seq;
  process.cutAt = base.kind === "call" ? base.seq : null;
  process.restarts = tail.filter((record) => record.kind === "crash").map((record) => record.at);
  if (base.kind === "restart") {
    process.restarts.unshift(...(base.earlier ?? []), ...(base.why === "error" ? [base.at] : []));
  }
  process.wallPart = wallPartIn(records);
  process.wallTold = records.some(
    (record) =>
      record.kind === "signal" &&
      record.signal === "SIGBUDGET" &&
      readNotice(record.signal, record.cause) === undefined,
  );
  restoreRecordedState(process, records);
  await fetchAnswers(tail, fetch);
  process.replay = new Replay(tail);
  process.isWhole = true;
  process.input = await decodeValue(start.input, fetch);
  return { input: process.input, state, checkpoint: isOne ? checkpoint.seq : undefined };
}

/** How much of its time, in percent, it was told to be over. */
const wallPartIn = (records: readonly JournalRecord[]): number =>
  records.reduce((most, record) => {
    const notice = record.kind === "signal" ? readNotice(record.signal, record.cause) : undefined;
    return notice?.unit === "wall" ? Math.max(most, notice.part) : most;
  }, 0);

/** Undefined where it was dropped. */
export async function stateOf(
  checkpoint: CallRecord,
  fetch: (digest: string) => Promise<string | undefined>,
): Promise<Json | undefined> {
  const { state } = checkpoint.args as { state: Json };
  const digest = (state as { $blob?: string } | null)?.$blob;
  if (typeof digest !== "string") return decodeValue(state, fetch);
  const text = await fetch(digest);
  return text === undefined ? undefined : decodeValue(state, async () => text);
}

/** Answers that are references are followed now, so that replay itself never waits. */
export async function fetchAnswers(
  records: readonly JournalRecord[],
  fetch: (digest: string) => Promise<string | undefined>,
): Promise<void> {
  for (const record of records) {
    if (record.kind !== "call" && record.kind !== "outcome") continue;
    const ok = record.ok;
    if (
      ok === undefined ||
      ok === null ||
      typeof ok !== "object" ||
      Array.isArray(ok) ||
      !("$blob" in ok)
    )
      continue;
    answers.set(record, await decodeValue(ok, fetch));
  }
}

const answers = new WeakMap<JournalRecord, Json>();

/** What a recorded call answered, references followed. */
export const answerOf = (record: { readonly ok?: Json }): Json =>
  answers.get(record as JournalRecord) ?? record.ok ?? null;

async function oneRecord(
  store: Store,
  key: ProcessKey,
  seq: number,
  read?: ReadTexts,
): Promise<JournalRecord | undefined> {
  const text = read?.texts[seq - read.first];
  if (text !== undefined) return parseRecord(text);
  const [row] = await store.records(key, { after: seq - 1, upTo: seq });
  return row && parseRecord(row.text);
}
