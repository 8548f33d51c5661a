// Run index: what was said in the runs of a tenant, as a segment that is searched like memory. It is read from the
// journals at the first search, the newest records first and in the background, and goes on with each search.
//
//   const runs = await index.of(tenant)
//   runs.segment; runs.isWhole
//
// RUN-INDEX-1  One tenant has one index, from its own records alone.
// RUN-INDEX-2  Every record that was durable when it was asked for and came after the first search is in it.
// RUN-INDEX-3  A search waits a limited time for older records; `isWhole` says whether all are in it.
// RUN-INDEX-4  Memory is bounded: the oldest records are left out, and the largest indexes are dropped first.
// RUN-INDEX-5  Runs of the programs that search and write for people are left out: they hold the questions that were
//     asked before.

import type { JournalRecord } from "@aos/protocol";
import { parseRecord } from "../journal/record-text.ts";
import { labelText } from "../label/label.ts";
import type { Store, WrittenRow } from "../store/contract.ts";
import type { ProcessKey, ProcessRow, TenantKey } from "../store/rows.ts";
import { dayOf } from "./dates.ts";
import { nextTurn } from "./next-turn.ts";
import { toolOfIntent, runWordsIn, WORDED } from "./run-words.ts";
import { IndexSegment } from "./segment.ts";
import { splitDocument } from "./split-text.ts";

type RunStore = Pick<Store, "recordsWith" | "lastPlace" | "processByKey" | "blob" | "kind">;

interface IndexedRun {
  readonly pid: string;
  readonly agent: string;
  readonly isLeftOut: boolean;
  /** The last that its records told, which is the strictest: labels of a run only grow. */
  label: string;
  labelSeq: number;
}

export interface RunsOfTenant {
  readonly tenant: TenantKey;
  readonly segment: IndexSegment;
  readonly isWhole: boolean;
  /** When the oldest record that was read was written; null before the first. */
  readonly since: number | null;
  /** By pid. */
  readonly agents: ReadonlyMap<string, string>;
}

interface Runs extends RunsOfTenant {
  isWhole: boolean;
  since: number | null;
  /** Places: all records after `first`, up to `last`, are read. */
  first: number;
  last: number;
  reading: Promise<void> | undefined;
  isBroken: boolean;
  readonly known: Map<ProcessKey, IndexedRun | undefined>;
  readonly agents: Map<string, string>;
  readonly tools: Map<string, string>;
  usedAt: number;
}

const SPAN = 4000;
/** Of a shared store: commits end in another order than their places were given. */
const OVERLAP = 1000;
const WAIT_MS = 5000;
const DEFAULT_BYTES = 256 * 1024 * 1024;
const RECORDS_A_TURN = 100;
/** Programs whose runs are left out (RUN-INDEX-5). */
const SERVANTS = new Set(["recall", "retrieve", "ingest", "files", "write-files"]);

export class RunIndex {
  readonly #store: RunStore;
  readonly #mostBytes: number;
  readonly #all = new Map<TenantKey, Runs>();
  #uses = 0;
  #isClosed = false;

  constructor(store: RunStore, mostBytes = DEFAULT_BYTES) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  close(): void {
    this.#isClosed = true;
  }

  async of(tenant: TenantKey): Promise<RunsOfTenant> {
    let runs = this.#all.get(tenant);
    if (runs === undefined) {
      const last = await this.#store.lastPlace();
      runs = this.#all.get(tenant) ?? newRuns(tenant, last);
      this.#all.set(tenant, runs);
    }
    runs.usedAt = ++this.#uses;
    await this.#readNew(runs);
    await within(this.#readOld(runs));
    if (runs.isBroken) this.#all.delete(tenant);
    this.#bound(runs);
    return runs;
  }

  /** Parts of its runs went: what is left is read again. */
  drop(tenant: TenantKey): void {
    this.#all.delete(tenant);
  }

  /** Its history is gone: found by whoever was about to show it. */
  forgetRun({ segment }: RunsOfTenant, pid: string): void {
    const below = `/${pid}/`;
    for (const path of segment.paths) if (path.startsWith(below)) segment.remove(path);
  }

  /** RUN-INDEX-2. */
  async #readNew(runs: Runs): Promise<void> {
    const upTo = await this.#store.lastPlace();
    const after = this.#store.kind === "postgres" ? runs.last - OVERLAP : runs.last;
    for (let from = Math.max(0, after); from < upTo; from += SPAN)
      await this.#readSpan(runs, from, Math.min(upTo, from + SPAN));
    runs.last = Math.max(runs.last, upTo);
  }

  /** RUN-INDEX-3: one reader for each tenant. */
  #readOld(runs: Runs): Promise<void> {
    if (runs.isWhole || this.#isFull(runs)) return Promise.resolve();
    runs.reading ??= this.#readBackwards(runs)
      .catch((error: unknown) => {
        if (this.#isClosed) return;
        runs.isBroken = true; // it is read again from its beginning
        throw error;
      })
      .finally(() => (runs.reading = undefined));
    runs.reading.catch(() => {}); // told to whoever waits for it
    return runs.reading;
  }

  async #readBackwards(runs: Runs): Promise<void> {
    while (runs.first > 0 && !this.#isClosed && !this.#isFull(runs)) {
      const from = Math.max(0, runs.first - SPAN);
      await this.#readSpan(runs, from, runs.first);
      runs.first = from;
      await nextTurn();
    }
    if (runs.first === 0) runs.isWhole = true;
  }

  /** RUN-INDEX-4. */
  #isFull({ segment }: Runs): boolean {
    return segment.bytes > (0.8 * this.#mostBytes) / this.#all.size;
  }

  #bound(used: Runs): void {
    const bytes = () => [...this.#all.values()].reduce((sum, one) => sum + one.segment.bytes, 0);
    while (bytes() > this.#mostBytes && this.#all.size > 0) {
      const others = [...this.#all.values()].filter((one) => one !== used);
      const largest = others.sort((a, b) => b.segment.bytes - a.segment.bytes)[0] ?? used;
      this.#all.delete(largest.tenant);
    }
  }

  async #readSpan(runs: Runs, after: number, upTo: number): Promise<void> {
    const rows = await this.#store.recordsWith({
      tenant: runs.tenant, // RUN-INDEX-1
      after,
      upTo,
      words: WORDED,
    });
    const newestFirst = rows.map((row) => ({ row, record: parseRecord(row.text) }));
    for (const { row, record } of newestFirst) await this.#learn(runs, row, record);
    for (const [at, { row, record }] of newestFirst.toReversed().entries()) {
      if (this.#isClosed) return;
      if (at % RECORDS_A_TURN === 0) await nextTurn();
      await this.#put(runs, row, record);
    }
  }

  async #learn(runs: Runs, { process }: WrittenRow, record: JournalRecord): Promise<void> {
    const run = await this.#runOf(runs, process);
    const { label } = record as { readonly label?: string };
    if (run === undefined || label === undefined || record.seq <= run.labelSeq) return;
    run.label = label;
    run.labelSeq = record.seq;
  }

  async #put(runs: Runs, { process }: WrittenRow, record: JournalRecord): Promise<void> {
    const run = await this.#runOf(runs, process);
    if (run === undefined || run.isLeftOut) return;
    const fetch = (digest: string) => this.#store.blob(runs.tenant, digest);
    const words = await readOrSkip(async () => {
      const tool = await toolOfIntent(record, fetch);
      if (tool !== undefined && record.kind === "intent")
        runs.tools.set(`${process} ${record.n}`, tool);
      const toolOf = (n: number) => runs.tools.get(`${process} ${n}`);
      return runWordsIn(record, { agent: run.agent, toolOf, fetch });
    });
    if (record.kind === "outcome") runs.tools.delete(`${process} ${record.n}`);
    runs.since = Math.min(runs.since ?? Infinity, record.at);
    if (words === undefined) return;
    const { segment } = runs;
    for (const [part, text] of spokenPartsOf(words.text).entries()) {
      const path = runPath(run.pid, record.seq, part);
      if (segment.rowsOf(path).length > 0) continue; // of an overlap
      segment.put({
        path,
        content: {
          kind: "dialogue",
          passages: [
            {
              text,
              author: words.speaker,
              head: run.agent,
              day: dayOf(record.at),
              ...(words.isToolResult ? { isQuiet: true } : {}),
            },
          ],
        },
        writtenAt: record.at,
        writer: run.pid,
        label: run.label,
      });
    }
  }

  async #runOf(runs: Runs, key: ProcessKey): Promise<IndexedRun | undefined> {
    if (runs.known.has(key)) return runs.known.get(key);
    const row = await this.#store.processByKey(key);
    const run = row === undefined || row.compacted ? undefined : indexedRun(row);
    runs.known.set(key, run);
    if (run !== undefined) runs.agents.set(run.pid, run.agent);
    return run;
  }
}

const newRuns = (tenant: TenantKey, last: number): Runs => ({
  tenant,
  segment: new IndexSegment(),
  isWhole: false,
  since: null,
  first: last,
  last,
  reading: undefined,
  isBroken: false,
  known: new Map(),
  agents: new Map(),
  tools: new Map(),
  usedAt: 0,
});

const indexedRun = ({ pid, agent, spec, label }: ProcessRow): IndexedRun => ({
  pid,
  agent,
  isLeftOut: SERVANTS.has(spec.program),
  label: label ?? labelText(spec.label),
  labelSeq: label === null ? -1 : Infinity,
});

const runPath = (pid: string, seq: number, part: number): string => `/${pid}/${seq}.${part}`;

export function placeInRun(path: string): {
  readonly pid: string;
  readonly seq: number;
  readonly part: number;
} {
  const [, pid = "", place = ""] = path.split("/");
  const [seq, part] = place.split(".");
  return { pid, seq: Number(seq), part: Number(part) };
}

/** What was said at once, in parts of the length of a passage. */
export const spokenPartsOf = (text: string): string[] => splitDocument(text).map((one) => one.text);

/** A value that is gone, or was damaged, has no words; `aos audit verify` says so. */
async function readOrSkip<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as { code?: unknown }).code === "ECORRUPT") return undefined;
    throw error;
  }
}

async function within(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
