// Causes: explains a record of a process, from the record back to its origin.
//
//   causesOf(parts, row, seq)    what led to a record; without one, to its end or to where it is now
//   momentOf(parts, row, seq)    the state of the process at a record
//
// OPERATOR-CAUSES-1  Nothing is changed or charged: everything comes from records.
// OPERATOR-CAUSES-2  A removed history is reported as removed, not guessed.

import {
  isEnded,
  isPlain,
  SysError,
  type CallRecord,
  type CauseLink,
  type Causes,
  type CausesReport,
  type JournalRecord,
  type MomentReport,
  type PersonsStatement,
} from "@aos/protocol";
import type { FetchBlob } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import {
  costUntil,
  grantsUsed,
  labelUntil,
  openStatements,
  wordsOn,
  type OwnedRecord,
} from "./cause-findings.ts";
import { walkCauses, type History, type CauseStep } from "./cause-walk.ts";
import { resultWords, describeRecord } from "./cause-words.ts";
import { recordedCalls, type RecordedCall, type RecordedParts } from "./recorded-calls.ts";
import { liveStateOf } from "./inspect.ts";
import type { Platform } from "../platform/clock.ts";
import type { ProcessTable } from "../process/process-table.ts";
import { wholeRecord } from "./past-run.ts";
import { isRefused, reportWhy } from "./power.ts";

interface Parts extends RecordedParts {
  readonly platform: Platform;
  readonly table: ProcessTable;
}

type Told = History<{ readonly row: ProcessRow; readonly owned: readonly OwnedRecord[] }>;

const MOST_LINKS = 500;
/** Of these the nearest are never left out. */
const NEAREST = 100;

export async function causesOf(parts: Parts, row: ProcessRow, seq?: number): Promise<Causes> {
  const owned = await historyOf(parts, row);
  const { record } = owned[chosenSeq(row, owned, seq)]!;
  const until = owned.slice(0, record.seq + 1);
  const fetch = fetcher(parts, row);
  const decision = await decisionOn(parts, row, record);
  const isOver = isEnded(row.state);
  return {
    pid: row.pid,
    agent: row.agent,
    ...liveStateOf(row, parts.table.whole(row.key)),
    exitCode: row.exitCode,
    waitsFor: isOver ? [] : await openStatements(parts.store, row.key, parts.platform.now()),
    seq: record.seq,
    summary: await summaryOf(record, fetch),
    error: failureIn(record),
    decision,
    grants: await grantsOf(parts, row, decision),
    label: await labelUntil(row, until, fetch),
    cost: await costUntil(row, until, fetch),
    ...(await linksOf(parts, row, owned, record.seq)),
  };
}

export async function momentOf(parts: Parts, row: ProcessRow, seq?: number): Promise<MomentReport> {
  const owned = await historyOf(parts, row);
  const at = chosenSeq(row, owned, seq);
  const { record } = owned[at]!;
  const until = owned.slice(0, at + 1);
  const fetch = fetcher(parts, row);
  const { text, colour } = await labelUntil(row, until, fetch);
  const { usd, tokens } = await costUntil(row, until, fetch);
  return {
    pid: row.pid,
    agent: row.agent,
    seq: at,
    records: owned.length,
    record: await wholeRecord(record, fetch),
    call: callIn(owned, record),
    label: text,
    colour,
    spent: { usd, tokens },
    limit: row.spec.budget,
  };
}

/** Where no capability was enough there is none to name. */
const grantsOf = async ({ store }: Parts, row: ProcessRow, decision: Causes["decision"]) =>
  decision === null || decision.code === "EACCES" ? [] : grantsUsed(store, row, decision.blocks);

const fetcher =
  ({ store }: Parts, row: ProcessRow): FetchBlob =>
  (digest) =>
    store.blob(row.tenant, digest);

/** OPERATOR-CAUSES-2. */
async function historyOf({ store }: Parts, row: ProcessRow): Promise<OwnedRecord[]> {
  if (row.compacted)
    throw new SysError(
      "ESTATE",
      `retention removed the history of ${row.pid}; only its result is left`,
      {
        hint: "raise the retention to keep more: see `aos gc --help`",
      },
    );
  return (await store.records(row.key)).map(({ text, process }) => ({
    record: parseRecord(text),
    process,
  }));
}

function chosenSeq(
  { pid }: ProcessRow,
  owned: readonly OwnedRecord[],
  seq: number | undefined,
): number {
  const last = owned.length - 1;
  if (seq === undefined) return last;
  if (seq > last) throw new SysError("EINVAL", `${pid} has records 0 to ${last}`);
  return seq;
}

function callIn(owned: readonly OwnedRecord[], record: JournalRecord): MomentReport["call"] {
  if (record.kind === "call" || record.kind === "intent") return { n: record.n, call: record.call };
  if (record.kind !== "outcome") return null;
  const intent = owned.find(({ record: one }) => one.kind === "intent" && one.n === record.n);
  return intent?.record.kind === "intent" ? { n: record.n, call: intent.record.call } : null;
}

const failureIn = (record: JournalRecord): CausesReport["error"] =>
  record.kind === "end"
    ? (record.error ?? null)
    : record.kind === "call" || record.kind === "outcome"
      ? (record.err ?? null)
      : null;

async function summaryOf(record: JournalRecord, fetch: FetchBlob): Promise<string> {
  const what = await describeRecord(record, fetch);
  const came = await resultWords(record, fetch);
  return came === null ? what : `${what}: ${came}`;
}

/** Of the call that the record is about; of all else, of the last that was refused until then. */
async function decisionOn(
  parts: Parts,
  row: ProcessRow,
  record: JournalRecord,
): Promise<Causes["decision"]> {
  const n = "n" in record ? record.n : undefined;
  let chosen: RecordedCall | undefined;
  for await (const recorded of recordedCalls(parts, row)) {
    if (recorded.settledSeq > record.seq && n === undefined) break;
    if (n === undefined ? isRefused(recorded) : recorded.n === n) chosen = recorded;
    if (n !== undefined && recorded.n === n) break;
  }
  return chosen === undefined ? null : reportWhy(row.pid, chosen);
}

async function linksOf(
  parts: Parts,
  row: ProcessRow,
  owned: readonly OwnedRecord[],
  seq: number,
): Promise<Pick<Causes, "links" | "leftOut">> {
  const told = (one: ProcessRow, all: readonly OwnedRecord[]): Told => ({
    pid: one.pid,
    tenant: one.tenant,
    owner: { row: one, owned: all },
    records: all.map(({ record }) => record),
  });
  const find = async (pid: string): Promise<Told | undefined> => {
    if (pid === row.pid) return told(row, owned);
    const other = await parts.store.process(pid);
    return other === undefined || other.compacted
      ? undefined
      : told(other, await historyOf(parts, other));
  };
  const steps = await walkCauses(find, row.pid, seq);
  const words = new Map<ProcessKey, Map<number, PersonsStatement[]>>();
  const links: CauseLink[] = [];
  for (const [id, step] of steps) links.push(await linkOf(parts, id, step, words));
  const kept = trimmed(links);
  return {
    links: await Promise.all(kept.map((link) => inWords(parts, link, steps.get(link.id)!))),
    leftOut: links.length - kept.length,
  };
}

/** All but its words, which may have to be fetched. */
async function linkOf(
  { store }: Parts,
  id: string,
  { history, record, from }: CauseStep<Told["owner"]>,
  words: Map<ProcessKey, Map<number, PersonsStatement[]>>,
): Promise<CauseLink> {
  const { row, owned } = history.owner;
  const { process } = owned[record.seq]!;
  if (!words.has(process)) words.set(process, await wordsOn(store, process));
  const settled = record as Pick<CallRecord, "usd" | "tokens" | "verdict" | "label">;
  const about = record.kind === "call" || record.kind === "outcome" ? record.n : undefined;
  return {
    id,
    pid: row.pid,
    agent: row.agent,
    seq: record.seq,
    at: new Date(record.at).toISOString(),
    kind: record.kind,
    what: "",
    came: null,
    code: failureIn(record)?.code ?? null,
    verdict: settled.verdict ?? null,
    label: settled.label ?? null,
    usd: settled.usd ?? 0,
    tokens: settled.tokens ?? 0,
    people: about === undefined ? [] : (words.get(process)!.get(about) ?? []),
    from,
  };
}

async function inWords(
  parts: Parts,
  link: CauseLink,
  { history, record }: CauseStep<Told["owner"]>,
): Promise<CauseLink> {
  const fetch = fetcher(parts, history.owner.row);
  return {
    ...link,
    what: await describeRecord(record, fetch),
    came: await resultWords(record, fetch),
  };
}

/** Where there are too many, of the plain ones only the nearest. */
function trimmed(links: readonly CauseLink[]): CauseLink[] {
  if (links.length <= MOST_LINKS) return [...links];
  return links.filter((link, at) => at < NEAREST || !isPlain(link)).slice(0, MOST_LINKS);
}
