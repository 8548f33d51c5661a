// Cause findings: what is reported about a process up to a record, besides the causal chain: its label, its cost, the
// answers of people, and the origin of its grants.

import {
  colours,
  type Colour,
  type CausesReport,
  type CostOfCall,
  type GrantUsed,
  type InferReply,
  type JournalRecord,
  type Json,
  type PersonsStatement,
  type QuestionAbout,
  type WhyReport,
} from "@aos/protocol";
import { isOpen } from "../approval/outcome.ts";
import { decodeValue, type FetchBlob } from "../journal/codec.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow, QuestionRow } from "../store/rows.ts";
import { describeCall, describeRecord } from "./cause-words.ts";

/** A record, and whose it is: a fork has records of the process that it was forked from. */
export interface OwnedRecord {
  readonly record: JournalRecord;
  readonly process: ProcessKey;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export const integrityColour = (label: string): Colour => colours[readLabel(label).integrity];

/** Which records made the label what it is; the input's is that of record 0. */
export async function labelUntil(
  row: ProcessRow,
  until: readonly OwnedRecord[],
  fetch: FetchBlob,
): Promise<CausesReport["label"]> {
  let label = row.spec.label;
  const made: CausesReport["label"]["made"][number][] = [];
  const note = (seq: number, what: string) => {
    const text = labelText(label);
    made.push({ seq, label: text, colour: integrityColour(text), what });
  };
  if (labelText(label) !== "trusted/public") note(0, "its input");
  for (const { record } of until) {
    if (!("label" in record) || record.label === undefined) continue;
    const next =
      record.kind === "restart" ? join(label, readLabel(record.label)) : readLabel(record.label);
    if (labelText(next) === labelText(label)) continue;
    label = next;
    note(record.seq, await describeRecord(callOf(until, record), fetch));
  }
  const text = labelText(label);
  return { text, colour: integrityColour(text), made };
}

/** An outcome says what it is the outcome of in its intent. */
function callOf(records: readonly OwnedRecord[], record: JournalRecord): JournalRecord {
  if (record.kind !== "outcome") return record;
  const intent = records.findLast(
    ({ record: one }) => one.kind === "intent" && one.n === record.n && one.seq < record.seq,
  );
  return intent?.record ?? record;
}

const MOST_CALLS = 20;

/** Of its own records only: what lies before a fork was paid by another. */
export async function costUntil(
  row: ProcessRow,
  until: readonly OwnedRecord[],
  fetch: FetchBlob,
): Promise<CausesReport["cost"]> {
  const calls: CostOfCall[] = [];
  let total = { usd: 0, tokens: 0 };
  for (const { record, process } of until) {
    const { usd = 0, tokens = 0 } = record as { usd?: number; tokens?: number };
    if (process !== row.key || (usd === 0 && tokens === 0)) continue;
    total = { usd: total.usd + usd, tokens: total.tokens + tokens };
    const usage = await usageOf(record, fetch);
    const what = await sayPaid(callOf(until, record), fetch);
    calls.push({
      seq: record.seq,
      what,
      usd,
      tokens,
      inputTokens: usage?.inputTokens ?? null,
      outputTokens: usage?.outputTokens ?? null,
    });
  }
  const dearest = calls.toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens || a.seq - b.seq);
  return {
    ...total,
    calls: dearest.slice(0, MOST_CALLS),
    leftOut: Math.max(0, dearest.length - MOST_CALLS),
  };
}

async function usageOf(record: JournalRecord, fetch: FetchBlob) {
  if (record.kind !== "call" || record.call !== "infer" || record.ok === undefined)
    return undefined;
  return ((await decodeValue(record.ok, fetch)) as unknown as InferReply | null)?.usage;
}

async function sayPaid(record: JournalRecord, fetch: FetchBlob): Promise<string> {
  if (record.kind !== "call" && record.kind !== "intent") return record.kind;
  const { model, tool } = (record.args ?? {}) as { model?: Json; tool?: Json };
  const name = await decodeValue(model ?? tool, fetch);
  return typeof name === "string"
    ? `${record.call} ${name}`
    : describeCall(record.call, record.args, fetch);
}

/** What people were asked about calls of a process, by the number of the call. */
export async function wordsOn(
  store: Store,
  process: ProcessKey,
): Promise<Map<number, PersonsStatement[]>> {
  const words = new Map<number, PersonsStatement[]>();
  for (const row of await store.questionsOf(process))
    words.set(row.n, [...(words.get(row.n) ?? []), await wordOn(store, row)]);
  return words;
}

/** What people have not said yet, and may still say. */
export async function openStatements(
  store: Store,
  process: ProcessKey,
  nowMs: number,
): Promise<PersonsStatement[]> {
  const open = (await store.questionsOf(process)).filter((row) => isOpen(row, nowMs));
  return Promise.all(open.map((row) => wordOn(store, row)));
}

async function wordOn(store: Store, row: QuestionRow): Promise<PersonsStatement> {
  const votes = await store.votes(row.id);
  return {
    question: row.id,
    kind: row.kind,
    rule: (row.about as unknown as QuestionAbout | null)?.rule ?? null,
    askedAt: iso(row.askedAt),
    answer: row.answer,
    answeredBy: row.answeredBy,
    answeredAt: row.answeredAt === null ? null : iso(row.answeredAt),
    votes: votes.map(({ person, choice, at, reason }) => ({ person, choice, at: iso(at), reason })),
  };
}

/** Where the capabilities that let a call pass come from. */
export async function grantsUsed(
  store: Store,
  row: ProcessRow,
  blocks: WhyReport["blocks"],
): Promise<GrantUsed[]> {
  const held = [
    ...(await store.holdingsOf(row.key)),
    ...(await store.standing(row.tenant, row.agent)),
  ];
  const seen = new Set<string>();
  return blocks.flatMap(({ block, capability }) => {
    const name = `${block} ${capability}`;
    if (seen.has(name)) return [];
    seen.add(name);
    const granted = held.find(({ blocks: chain }) => chain.some(({ id }) => id === block));
    const from =
      granted === undefined
        ? { handle: "birth", by: row.parentPid ?? "operator", givenAt: iso(row.startedAt) }
        : { handle: granted.handle, by: granted.givenBy, givenAt: iso(granted.givenAt) };
    return [{ block, capability, ...from, reason: granted?.reason ?? null }];
  });
}
