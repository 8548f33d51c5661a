// Forget: removes what is about something from memory and from what is recorded, wherever it was copied to.
//
// FORGET-1  What was said is in no record, ledger or error: only what went, by hashes, counts and paths in the answer.
// FORGET-2  Each batch is one transaction with a signed row. A crash leaves whole batches; the same request again
//     finds the rest. Files of memory go last, with the records of those who wrote them: they may be what the rest is
//     found by, and a file without the record of its write would look forged.
// FORGET-3  At the end nothing of it is left in the file of the database: it is rewritten (SQLite).
// FORGET-4  A process that has not ended keeps what it needs to go on. The answer names it.

import { SysError, type ForgetReport, type Json } from "@aos/protocol";
import type { AuditLog } from "../audit/audit-log.ts";
import { readErasures } from "../audit/erasures.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { MemorySearch } from "../memory/memory-search.ts";
import type { RunIndex } from "../memory/run-index.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import { erasureText, type ErasedItems, type ErasureBatch } from "../store/erasure.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";
import type { MemoryQuota } from "../vfs/memory-quota.ts";
import { findText, type FoundText, type RunErasure } from "./find-text.ts";
import { copiedTexts, embeddingsOf, selectedRows } from "./memory-rows.ts";
import { wantedText } from "./wanted-text.ts";

export interface ForgetRequest {
  readonly tenant: TenantKey;
  readonly about?: string | undefined;
  readonly path?: string | undefined;
  readonly pid?: string | undefined;
  readonly writer?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly by: string;
}

interface Parts {
  readonly store: Store;
  readonly journal: Journal<Store>;
  readonly ledger: Ledger;
  readonly audit: AuditLog;
  readonly platform: Platform;
  readonly node: string;
  readonly memory: MemorySearch;
  readonly quota: MemoryQuota;
  readonly runs: Pick<RunIndex, "drop">;
}

/** Rows of memory in one request; the rest is for the next. */
const MOST_ROWS = 1000;
const LEAST_CHARACTERS = 3;
const SHOWN_PATHS = 100;

const NOTHING: Omit<ErasureBatch, "row"> = {
  records: [],
  blobs: [],
  states: [],
  results: [],
  files: [],
  messages: [],
  letters: [],
  items: [],
  events: [],
  questions: [],
  cores: [],
  embeddings: [],
};

export async function forget(parts: Parts, request: ForgetRequest): Promise<ForgetReport> {
  const { store, journal, audit } = parts;
  const { tenant, about, path, pid, writer } = request;
  await journal.durable();
  const words = about === undefined ? [] : [mustBeClear(about)];
  const isNarrow = [path, pid, writer].some((one) => one !== undefined);
  const spoken = words.length === 0 ? undefined : wantedText({ words, passages: [] });
  const rows = isNarrow
    ? await selectedRows(store, tenant, { about: spoken, path, pid, writer }, MOST_ROWS)
    : [];
  const wanted = isNarrow
    ? wantedText({ words: [], passages: [...new Set(rows.flatMap(copiedTexts))] })
    : spoken!;
  const erasures = await readErasures(store, audit);
  const found = await findText({ store, tenant, wanted, erasures });
  const files = await allFiles(store, tenant, found, rows);
  if (request.dryRun === true) return reportOf(request, found, files, []);
  const ids = await erase(parts, request, found, files);
  await settle(parts, request, found, files, ids);
  return reportOf(request, found, files, ids);
}

function mustBeClear(about: string): string {
  const words = about.trim();
  if ((words.match(/[\p{L}\p{N}]/gu) ?? []).length >= LEAST_CHARACTERS) return words;
  throw new SysError("EINVAL", `at least ${LEAST_CHARACTERS} letters or digits are needed`);
}

/** Those that have it, and those that were named. */
async function allFiles(
  store: Store,
  tenant: TenantKey,
  found: FoundText,
  named: readonly FileRow[],
): Promise<FileRow[]> {
  const files = new Map(named.map((row) => [`${row.space} ${row.path}`, row]));
  for (const { space, path } of found.files) {
    const name = `${space} ${path}`;
    const row = files.get(name) ?? (await store.file(tenant, space, path));
    if (row !== undefined) files.set(name, row);
  }
  return [...files.values()];
}

type Batch = Omit<ErasureBatch, "row">;
type Items = Omit<ErasedItems, "blobs">;
interface Part {
  readonly batch: Batch;
  readonly items: Items;
}

/** FORGET-2. Answers the ids of the signed rows. */
async function erase(
  parts: Parts,
  request: ForgetRequest,
  found: FoundText,
  files: readonly FileRow[],
): Promise<number[]> {
  const writers = new Set(files.map(({ writer }) => writer));
  const isWriter = ({ row }: RunErasure) => writers.has(row.pid);
  const ids: number[] = [];
  for (const run of found.runs)
    if (!isWriter(run)) ids.push(await eraseBatch(parts, request, partOf(run)));
  const rest: Batch = {
    ...NOTHING,
    blobs: found.blobs,
    files: files.map(({ space, path }) => ({ space, path })),
    messages: found.messages,
    letters: found.letters,
    items: found.items,
    events: found.events,
    embeddings: [...new Set(files.flatMap(embeddingsOf))],
  };
  const { messages, letters, items: ofFleets, events } = rest;
  const others = [messages, letters, ofFleets, events].reduce((sum, { length }) => sum + length, 0);
  const rows = rest.files.length + others;
  const own = { batch: rest, items: { runs: [], records: [], results: [], rows } };
  const last = joined([own, ...found.runs.filter(isWriter).map(partOf)]);
  const isEmpty = last.items.runs.length + last.items.rows + last.batch.blobs.length === 0;
  if (!isEmpty) ids.push(await eraseBatch(parts, request, last));
  return ids;
}

function partOf(run: RunErasure): Part {
  const { row, records, questions, hasCore, blobs, result, signedResult } = run;
  const hasHistory = records.length + blobs.length > 0;
  const batch = {
    ...NOTHING,
    records,
    blobs,
    states: hasHistory ? [row.key] : [],
    results: result === undefined ? [] : [result],
    questions,
    cores: hasCore ? [row.key] : [],
  };
  const items = {
    runs: [row.pid],
    records: run.erased,
    results: signedResult === undefined ? [] : [signedResult],
    rows: questions.length + batch.cores.length + batch.results.length,
  };
  return { batch, items };
}

/** As one transaction. */
function joined(parts: readonly Part[]): Part {
  const listed = <K extends keyof Batch>(name: K) =>
    parts.flatMap(({ batch }) => batch[name] as readonly unknown[]) as unknown as Batch[K];
  return {
    batch: {
      records: listed("records"),
      blobs: listed("blobs"),
      states: listed("states"),
      results: listed("results"),
      files: listed("files"),
      messages: listed("messages"),
      letters: listed("letters"),
      items: listed("items"),
      events: listed("events"),
      questions: listed("questions"),
      cores: listed("cores"),
      embeddings: listed("embeddings"),
    },
    items: {
      runs: parts.flatMap(({ items }) => items.runs),
      records: parts.flatMap(({ items }) => items.records),
      results: parts.flatMap(({ items }) => items.results),
      rows: parts.reduce((sum, { items }) => sum + items.rows, 0),
    },
  };
}

async function eraseBatch(
  { store, platform, node, audit }: Parts,
  { tenant, by }: ForgetRequest,
  { batch, items: given }: Part,
): Promise<number> {
  const key = await store.reserveKeys(1);
  const items = { ...given, blobs: batch.blobs };
  const row = { key, tenant, node, at: platform.now(), by, items };
  const signature = audit.sign(erasureText(row));
  if (await store.erase({ ...batch, row: { ...row, signature } })) return key;
  throw new SysError("EAGAIN", "a process began to use what was to be forgotten", {
    retryAfter: 1000,
    hint: "repeat the command to continue with the rest",
  });
}

/** What else knows of it: indexes, quotas, the ledger, the pages of the file. */
async function settle(
  { store, journal, ledger, memory, quota, runs }: Parts,
  { tenant, by }: ForgetRequest,
  found: FoundText,
  files: readonly FileRow[],
  ids: readonly number[],
): Promise<void> {
  for (const { space, path } of files) memory.changed({ tenant, space, path, row: null });
  if (files.length > 0) quota.recount(tenant);
  runs.drop(tenant);
  const detail: Json = {
    erasures: [...ids],
    files: files.length,
    runs: found.runs.map(({ row }) => row.pid),
    left: found.left.length,
  };
  if (ids.length > 0) ledger.add({ by, what: "memory.forget", detail, tenant });
  await journal.durable();
  await store.shrink(true); // FORGET-3
}

function reportOf(
  { dryRun = false }: ForgetRequest,
  found: FoundText,
  files: readonly FileRow[],
  ids: readonly number[],
): ForgetReport {
  const count = (of: (run: RunErasure) => number) =>
    found.runs.reduce((sum, run) => sum + of(run), 0);
  return {
    dryRun,
    erasures: ids.map(String),
    files: files.length,
    paths: files.slice(0, SHOWN_PATHS).map(({ path }) => path),
    records: count(({ records }) => records.length),
    values: found.blobs.length + count(({ blobs }) => blobs.length),
    results: count(({ result }) => (result === undefined ? 0 : 1)),
    messages: found.messages.length + found.letters.length + found.items.length,
    questions: count(({ questions }) => questions.length),
    runs: found.runs.map(({ row }) => row.pid),
    left: found.left.map((one) => ({ ...one })),
  };
}
