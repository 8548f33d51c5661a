// Journal: the append-only record of everything a process received.
//
//   append(end, text, writes)   adds a record; durable with the next commit
//   whenDurable(callback)       once everything appended so far is on the disk
//   watch(key, callback)        the records of a process, each once it is durable
//
// JOURNAL-1  A record's hash covers its text and the record before it.
// JOURNAL-2  The changes of a record in the store (`writes`) are in the same transaction as the record.
// JOURNAL-3  Records are never edited. A mistake is corrected by a later record.

import type { Platform } from "../platform/clock.ts";
import type { Extension, BaseStore, Write } from "../store/base-contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { SpendRow } from "../store/spend-row.ts";
import { GroupCommit, type ChainEnd } from "./group-commit.ts";

/** The durable end of a chain; the hash in hex. */
type GrownChain = Readonly<{ pid: string; seq: number; hash: string }>;

const NOTHING_SPENT: readonly SpendRow[] = [];

type Watcher = (records: readonly { readonly text: string }[]) => void;

/** `Whole` is the store as those see it who ask more of it than the base does. */
export class Journal<Whole extends BaseStore = BaseStore> {
  readonly store: Whole;
  readonly #commits: GroupCommit;
  readonly #watchers = new Map<ProcessKey, Set<Watcher>>();
  readonly #watchersOfAll = new Set<(extension: Extension) => void>();
  /** Set where there is a signed log to feed. */
  keepGrown = false;
  /** Told of external effects that may begin now: their intents are durable. What it throws stops them. */
  onIntents: ((intents: { key: ProcessKey; pid: string; seq: number }[]) => void) | undefined;
  /** The ends of the chains that grew since they were last taken. */
  #grown = new Map<ProcessKey, GrownChain>();

  constructor(
    store: Whole,
    platform: Platform,
    on: { fenced: (key: ProcessKey) => void; failure: (error: unknown) => void },
  ) {
    this.store = store;
    this.#commits = new GroupCommit(store, platform, {
      durable: (extensions) => this.#tell(extensions),
      ...on,
    });
  }

  append(
    end: ChainEnd,
    text: string,
    writes: readonly Write[] = [],
    spend: readonly SpendRow[] = NOTHING_SPENT,
  ): void {
    end.seq += 1;
    this.#commits.extend(end, text, writes, spend);
  }

  /** Writes on behalf of a process that leave no record: its state when it is put to sleep. */
  amend(end: ChainEnd, ...writes: Write[]): void {
    this.#commits.extendWithout(end, writes);
  }

  write(...writes: Write[]): void {
    this.#commits.write(...writes);
  }

  get failure(): unknown {
    return this.#commits.failure;
  }

  /** Nothing more is written: what is in memory counts no longer. */
  fail(error: unknown): void {
    this.#commits.fail(error);
  }

  whenDurable(callback: (error?: unknown) => void): void {
    this.#commits.whenDurable(callback);
  }

  afterCommit(callback: () => void): void {
    this.#commits.afterCommit(callback);
  }

  /** Calls back when what is appended from now on, before the next commit, is on the disk. */
  afterNextCommit(callback: () => void): void {
    this.#commits.afterNextCommit(callback);
  }

  durable(): Promise<void> {
    return this.#commits.durable();
  }

  watch(key: ProcessKey, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(key) ?? new Set();
    watchers.add(watcher);
    this.#watchers.set(key, watchers);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(key);
    };
  }

  /** The records of all processes, each only once it is durable, in the order of the commits. */
  watchAll(watcher: (extension: Extension) => void): () => void {
    this.#watchersOfAll.add(watcher);
    return () => void this.#watchersOfAll.delete(watcher);
  }

  takeGrown(): Map<ProcessKey, GrownChain> {
    const grown = this.#grown;
    this.#grown = new Map();
    return grown;
  }

  #tell(extensions: Iterable<Extension>): void {
    if (this.onIntents !== undefined) this.#tellIntents(extensions);
    for (const extension of extensions) {
      const { process, pid, firstSeq, end: hash, records } = extension;
      if (records.length === 0) continue;
      for (const watcher of this.#watchersOfAll) watcher(extension);
      if (this.keepGrown)
        this.#grown.set(process, { pid, seq: firstSeq + records.length - 1, hash: hash! });
      const watchers = this.#watchers.get(process);
      if (watchers !== undefined) for (const watcher of watchers) watcher(records);
    }
  }

  #tellIntents(extensions: Iterable<Extension>): void {
    const intents = [];
    for (const { process: key, pid, firstSeq, records } of extensions)
      for (let nth = 0; nth < records.length; nth++)
        if (isExternalIntent(records[nth]!.text)) intents.push({ key, pid, seq: firstSeq + nth });
    if (intents.length > 0) this.onIntents!(intents);
  }
}

/** A `request` is two records as well, and happens in here. */
const isExternalIntent = (text: string): boolean =>
  text.startsWith('{"kind":"intent"') && !text.slice(0, 200).includes('"call":"request"');
