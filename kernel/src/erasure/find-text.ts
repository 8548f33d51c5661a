// Find text: every row of a tenant that holds what is to be forgotten. What is needed by a process that has not ended
// stays, and is named.
//
// FIND-TEXT-1  A row is found by the words that it must have and then read: what the database found too much is left.
// FIND-TEXT-2  The records of a run are taken only where they lead to the end of its chain: what somebody changed is
//     not signed as erased.
// FIND-TEXT-3  A checkpoint state in parts is read whole: the words may stand across two of them.

import { CHAIN_START, hexOf } from "../journal/chain.ts";
import { digestOf } from "../journal/codec.ts";
import { resultDigest } from "../audit/audit-rows.ts";
import type { Erasures } from "../audit/erasures.ts";
import type { Store } from "../store/contract.ts";
import type { ErasureBatch, HolderKind, TextHolder } from "../store/erasure.ts";
import type { ProcessKey, ProcessRow, TenantKey } from "../store/rows.ts";
import { erasedRecord, erasedResult } from "./erased-record.ts";
import type { WantedText } from "./wanted-text.ts";

/** Why something stays. */
export type StaysBecause = "running" | "damaged" | "ledger" | "manifest" | "label" | "structure";

export interface LeftText {
  readonly because: StaysBecause;
  /** The process, where it is of one. */
  readonly pid?: string;
  readonly rows: number;
}

/** What goes of one run, in one transaction. */
export interface RunErasure {
  readonly row: ProcessRow;
  readonly records: ErasureBatch["records"];
  readonly erased: (readonly [hash: string, digest: string])[];
  result?: ErasureBatch["results"][number];
  signedResult?: readonly [pid: string, before: string, after: string];
  readonly questions: string[];
  hasCore: boolean;
  /** Large values that it uses, of those that no run before it in the list uses. */
  readonly blobs: string[];
}

export interface FoundText {
  readonly runs: readonly RunErasure[];
  /** Values that no run uses. */
  readonly blobs: readonly string[];
  readonly files: readonly { readonly space: ProcessKey; readonly path: string }[];
  readonly messages: readonly number[];
  readonly letters: readonly number[];
  readonly items: readonly string[];
  readonly events: readonly string[];
  readonly left: readonly LeftText[];
}

interface Sought {
  readonly store: Store;
  readonly tenant: TenantKey;
  readonly wanted: WantedText;
  readonly erasures: Erasures;
}

const PAGE = 200;
/** Words that are looked for at once. */
const WORDS = 40;

export const findText = (sought: Sought): Promise<FoundText> => new TextSearch(sought).run();

class TextSearch {
  readonly #of: Sought;
  readonly #runs = new Map<ProcessKey, RunErasure>();
  readonly #rows = new Map<ProcessKey, { row: ProcessRow; isNeeded: boolean } | undefined>();
  readonly #left = new Map<string, { because: StaysBecause; pid?: string; rows: number }>();
  readonly #blobs: string[] = [];
  readonly #seen = new Set<string>();

  constructor(of: Sought) {
    this.#of = of;
  }

  async run(): Promise<FoundText> {
    await this.#records();
    await this.#values();
    await this.#results();
    const files = await this.#ofProcesses("file", ({ id, process }) => ({
      space: process,
      path: id,
    }));
    const messages = await this.#ofProcesses("message", ({ id }) => Number(id));
    const letters: number[] = [];
    for await (const { id } of this.#holders("letter")) letters.push(Number(id));
    const items: string[] = [];
    for await (const { id } of this.#holders("item")) items.push(id);
    for await (const { process: _ } of this.#holders("open-item")) this.#leave("running");
    const events: string[] = [];
    for await (const { id } of this.#holders("event")) events.push(id);
    for await (const { id, process } of this.#holders("question"))
      await this.#ofRun(process, (run) => run.questions.push(id));
    for await (const { process } of this.#holders("core"))
      await this.#ofRun(process, (run) => (run.hasCore = true));
    for (const because of ["manifest", "ledger", "label"] as const)
      for await (const { process: _ } of this.#holders(because)) this.#leave(because);
    return {
      runs: [...this.#runs.values()],
      blobs: this.#blobs,
      files,
      messages,
      letters,
      items,
      events,
      left: [...this.#left.values()],
    };
  }

  /** FIND-TEXT-1. Each row once. */
  async *#holders(kind: HolderKind): AsyncGenerator<TextHolder> {
    const { store, tenant, wanted } = this.#of;
    for (let from = 0; from < wanted.searched.length; from += WORDS) {
      const words = wanted.searched.slice(from, from + WORDS);
      for (let after = ""; ;) {
        const page = await store.textHolders(kind, tenant, words, PAGE, after);
        for (const holder of page) {
          const name = `${kind} ${holder.id} ${holder.process}`;
          if (this.#seen.has(name) || (kind !== "record" && !wanted.isIn(holder.text))) continue;
          this.#seen.add(name);
          yield holder;
        }
        if (page.length < PAGE) break;
        after = page.at(-1)!.id;
      }
    }
  }

  async #records(): Promise<void> {
    for await (const { process } of this.#holders("record")) {
      const found = await this.#process(process);
      if (found === undefined) continue;
      const records = await this.#recordsOf(found.row);
      if (records.length === 0) continue;
      if (found.isNeeded) this.#leave("running", found.row.pid, records.length);
      else this.#runOf(found.row).records.push(...records);
    }
    for (const run of this.#runs.values())
      for (const { hash, text } of run.records) run.erased.push([hash, digestOf(text)]);
  }

  /** FIND-TEXT-2. */
  async #recordsOf({ key, pid }: ProcessRow) {
    const { store, wanted, erasures } = this.#of;
    const found: { process: ProcessKey; seq: number; hash: string; text: string }[] = [];
    let hash = CHAIN_START;
    for (const { process, seq, text, hash: stored } of await store.records(key)) {
      const known = hexOf(stored);
      hash = erasures.link(hash, text, known);
      if (hash !== known) {
        this.#leave("damaged", pid);
        return [];
      }
      if (process !== key) continue;
      const rest = erasedRecord(text, wanted);
      if (rest !== undefined) found.push({ process, seq, hash, text: rest });
      if (wanted.isIn(rest ?? text)) this.#leave("structure", pid);
    }
    return found;
  }

  async #values(): Promise<void> {
    const { store, tenant, wanted } = this.#of;
    for await (const { id } of this.#holders("blob")) await this.#value(id);
    for (let after = ""; ;) {
      const page = await store.dividedBlobs(tenant, PAGE, after);
      for (const digest of page) {
        const body = await store.blob(tenant, digest); // FIND-TEXT-3
        if (body !== undefined && wanted.isIn(body)) await this.#value(digest);
      }
      if (page.length < PAGE) return;
      after = page.at(-1)!;
    }
  }

  async #value(digest: string): Promise<void> {
    const { store, tenant } = this.#of;
    const users = await Promise.all(
      (await store.blobUsers(tenant, digest)).map((key) => this.#process(key)),
    );
    const known = users.filter((user) => user !== undefined);
    const needing = known.filter(({ isNeeded }) => isNeeded);
    for (const { row } of needing) this.#leave("running", row.pid);
    if (needing.length > 0) return;
    const runs = known.map(({ row }) => this.#runOf(row));
    (runs.toSorted((a, b) => a.row.key - b.row.key)[0]?.blobs ?? this.#blobs).push(digest);
  }

  async #results(): Promise<void> {
    const { store, wanted } = this.#of;
    for await (const { process } of this.#holders("process")) {
      const found = await this.#process(process);
      if (found === undefined) continue;
      const { row } = found;
      if (row.endedAt === null) {
        this.#leave("running", row.pid);
        continue;
      }
      if (wanted.isIn(JSON.stringify(row.spec))) this.#leave("structure", row.pid);
      const output = erasedResult(row.output, wanted);
      const error = erasedResult(row.error as never, wanted);
      if (found.isNeeded && !row.compacted) continue; // its record stays, and is named
      const run = this.#runOf(row);
      run.result = { process, output, error };
      if (!row.compacted) continue;
      const chain = (await store.chain(process))!;
      const after = { ...row, output: read(output), error: read(error) } as ProcessRow;
      run.signedResult = [row.pid, resultDigest(row, chain), resultDigest(after, chain)];
    }
  }

  /** Of what outlives processes all; of processes what is of ended ones. */
  async #ofProcesses<T>(kind: HolderKind, take: (holder: TextHolder) => T): Promise<T[]> {
    const taken: T[] = [];
    for await (const holder of this.#holders(kind)) {
      const found = holder.process > 0 ? await this.#process(holder.process) : undefined;
      if (found?.row.endedAt === null) this.#leave("running", found.row.pid);
      else taken.push(take(holder));
    }
    return taken;
  }

  async #ofRun(process: ProcessKey, take: (run: RunErasure) => void): Promise<void> {
    const found = await this.#process(process);
    if (found === undefined) return;
    if (found.row.endedAt === null) this.#leave("running", found.row.pid);
    else take(this.#runOf(found.row));
  }

  /** Undefined where it was removed. Its history is needed while it, or one that shares it, has not ended. */
  async #process(key: ProcessKey) {
    if (!this.#rows.has(key)) {
      const { store, tenant } = this.#of;
      const row = await store.processByKey(key);
      const heirs = row === undefined ? [] : await store.heirsOf(key);
      const isNeeded = row?.endedAt === null || heirs.some(({ isEnded }) => !isEnded);
      this.#rows.set(key, row?.tenant === tenant ? { row, isNeeded } : undefined);
    }
    return this.#rows.get(key);
  }

  #runOf(row: ProcessRow): RunErasure & { records: RunErasure["records"][number][] } {
    let run = this.#runs.get(row.key);
    if (run === undefined) {
      run = { row, records: [], erased: [], questions: [], hasCore: false, blobs: [] };
      this.#runs.set(row.key, run);
    }
    return run as never;
  }

  #leave(because: StaysBecause, pid?: string, rows = 1): void {
    const name = `${because} ${pid ?? ""}`;
    const known = this.#left.get(name);
    if (known !== undefined) known.rows += rows;
    else this.#left.set(name, { because, rows, ...(pid === undefined ? {} : { pid }) });
  }
}

const read = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
