// Load: a process from its rows and its journal, ready to be started again.

import {
  SysError,
  type CallRecord,
  type JournalRecord,
  type Json,
  type Manifest,
  type StartRecord,
} from "@aos/protocol";
import { decodeValue } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import { readNotice } from "../budget/notice.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import type { AccountBook } from "./accounts.ts";
import type { Blocks } from "./blocks.ts";
import { Process } from "./process.ts";
import { recall, recordsFrom } from "./recorded-state.ts";
import { Replay } from "./replay.ts";

/** As many as a process can hold beside what it was born with; the older are over, or are forgotten. */
export const MOST_GRANTS = 63;

interface Parts {
  readonly store: Store;
  readonly blocks: Blocks;
  readonly accounts: AccountBook;
}

/** The process without its history: enough to end it or to look at it. */
export async function loadShell(
  { store, blocks, accounts }: Parts,
  key: ProcessKey,
): Promise<Process> {
  const row = await store.processByKey(key);
  const chain = await store.chain(key);
  if (row === undefined || chain === undefined)
    throw new SysError("ENOENT", `there is no process ${key}`);
  const process = new Process({
    row,
    chain,
    tenantName: await store.tenantName(row.tenant),
    manifest: await loadManifest(store, row),
    block: await blocks.restore(row.spec.blocks, row.tenant),
    account: await accounts.restore(row),
  });
  process.isWhole = false;
  process.hasAsked = true; // before it left memory, as far as anybody knows here
  process.mailbox.wasAsked = true;
  const rows = await store.holdingsOf(key);
  const granted = rows.filter(({ state }) => state !== "revoked");
  for (const { handle, state } of rows) if (state === "revoked") process.pastHandles.add(handle);
  for (const held of granted.slice(-MOST_GRANTS)) {
    const { handle } = held;
    process.holdings.add({ handle, block: await blocks.restore(held.blocks, row.tenant) });
    process.grants.set(handle, held);
  }
  return process;
}

export async function loadManifest(store: Store, row: ProcessRow): Promise<Manifest> {
  const text = await store.manifest(row.tenant, row.spec.manifestHash);
  if (text === undefined) throw new SysError("ECORRUPT", `the manifest of ${row.pid} is missing`);
  return JSON.parse(text) as Manifest;
}

export interface Image {
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
): Promise<Image> {
  for (let from = base; ; from = await baseBefore(store, process, from)) {
    const image = await loadFrom(store, process, from);
    if (image !== undefined) return image;
  }
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
async function loadFrom(store: Store, process: Process, from: number): Promise<Image | undefined> {
  const fetch = (digest: string) => store.blob(process.tenant, digest);
  const records = await recordsFrom(store, process.key, from);
  const start = (from === 0 ? records[0] : await recordAt(store, process.key, 0)) as StartRecord;
  if (start?.kind !== "start")
    throw new SysError("ECORRUPT", `the journal of ${process.pid} has no start`);
  const base = records[0]!;
  const tail = records.slice(1);
  const checkpoint =
    base.kind === "restart" && base.from !== undefined
      ? await recordAt(store, process.key, base.from)
      : base;
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
  recall(process, records);
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

async function recordAt(
  store: Store,
  key: ProcessKey,
  seq: number,
): Promise<JournalRecord | undefined> {
  const [row] = await store.records(key, { after: seq - 1, upTo: seq });
  return row && parseRecord(row.text);
}
