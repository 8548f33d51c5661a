// GroupCommit: writes everything appended since the last commit in one transaction.
//
//   extend(…)        adds a record to the next commit; returns at once
//   whenDurable(…)   calls back when everything added so far is on the disk
//
// GROUP-COMMIT-1  Commits are ordered, each with everything that was added before it began. A store that keeps their
//     order itself may receive the next before it has acknowledged the last.
// GROUP-COMMIT-2  No waiter waits for a timer: a commit begins as soon as someone waits and the store has room.
//     Records without a waiter go along, or are written after a moment.
// GROUP-COMMIT-3  Writes to rows that several processes use keep the order of events: a message that is sent and
//     taken in one commit is added first and then taken.
// GROUP-COMMIT-4  After a failed commit nothing more is written: memory is ahead of the disk, and only a new boot
//     from the disk is sound.
// GROUP-COMMIT-5  For a process that has made the last few commits alone and waits for this one, the commit is
//     written without a thread switch where the store can.
// GROUP-COMMIT-6  Records are linked when their commit begins, here or on the store's thread (record-links.ts). Then
//     the end of a chain has the hash of its last record as soon as it is made, at the latest when it is durable.

import type { Platform } from "../platform/clock.ts";
import type { CommitResult, Extension, BaseStore, Write } from "../store/base-contract.ts";
import { HASH_LENGTH, linkRecords, NO_HASH, UNDER_WAY } from "../store/record-links.ts";
import type { ProcessKey, TenantKey } from "../store/rows.ts";
import { storeFailure } from "../store/store-failure.ts";
import { isSameSpend, spendSum, type SpendRow } from "../store/spend-row.ts";

const IDLE_FLUSH_MS = 10;
const MAX_WAITING_RECORDS = 2000;
const LONE_COMMITS = 4;

interface Batch {
  /** In the order in which they are applied. */
  extensions: Extension[];
  /** The chain that each of them extends. */
  readonly chains: ChainEnd[];
  /** The last of each process. */
  readonly latest: Map<ProcessKey, Extension>;
  readonly writes: Write[];
  readonly waiters: ((error?: unknown) => void)[];
  readonly after: (() => void)[];
  records: number;
}

const emptyBatch = (): Batch => ({
  extensions: [],
  chains: [],
  latest: new Map(),
  writes: [],
  waiters: [],
  after: [],
  records: 0,
});

/** The hashes that its extensions go on from (RECORD-LINKS-1). */
function leaveLinks({ chains }: Batch): string {
  let befores = "";
  for (const chain of chains) {
    befores += chain.hash;
    chain.hash = UNDER_WAY;
  }
  return befores;
}

/** To the chain and to the rows of spend, the same: one row for each key and extension. */
function charge(extension: Extension, row: SpendRow): void {
  extension.microUsd += row.microUsd;
  extension.tokens += row.tokens;
  extension.toolCalls += row.toolCalls;
  extension.overMicroUsd += row.overMicroUsd;
  extension.overTokens += row.overTokens;
  const { spend } = extension;
  for (let at = spend.length - 1; at >= 0; at--) {
    const before = spend[at]!;
    if (!isSameSpend(before, row)) continue;
    spend[at] = spendSum(before, row);
    return;
  }
  spend.push(row);
}

/** Whether other processes touch the row as well (GROUP-COMMIT-3). */
function isSharedRow(write: Write): boolean {
  if (write.op === "file.put") return write.row.space === 0;
  if (write.op === "file.remove") return write.space === 0;
  return SHARED.has(write.op);
}

const SHARED: ReadonlySet<Write["op"]> = new Set([
  "message.add",
  "message.take",
  "durable.put",
  "request.open",
  "request.close",
  "signal.add",
  "signal.take",
  "block.put",
]);

export interface ChainEnd {
  readonly key: ProcessKey;
  readonly pid: string;
  readonly tenant: TenantKey;
  readonly epoch: number;
  /** The last record's seq; -1 before the first. */
  seq: number;
  /** The hash in hex of the last record that is linked (GROUP-COMMIT-6). */
  hash: string;
}

export class GroupCommit {
  readonly #store: BaseStore;
  readonly #platform: Platform;
  readonly #onDurable: (extensions: Iterable<Extension>) => void;
  readonly #onFenced: (key: ProcessKey) => void;
  readonly #onFailure: (error: unknown) => void;
  #next = emptyBatch();
  /** What the store has been given and has not answered, oldest first. */
  readonly #underWay: Batch[] = [];
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** The only process of the last commit, and how many before it were its alone, too (GROUP-COMMIT-5). */
  #last: ProcessKey | undefined;
  #alone = 0;

  constructor(
    store: BaseStore,
    platform: Platform,
    on: {
      durable: (extensions: Iterable<Extension>) => void;
      fenced: (key: ProcessKey) => void;
      failure: (error: unknown) => void;
    },
  ) {
    this.#store = store;
    this.#platform = platform;
    this.#onDurable = on.durable;
    this.#onFenced = on.fenced;
    this.#onFailure = on.failure;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Adds a record and what must happen together with it. The chain's seq has been moved already. */
  extend(end: ChainEnd, text: string, writes: readonly Write[], spend: readonly SpendRow[]): void {
    const extension = this.#extensionOf(end, end.seq, writes);
    extension.records.push({ text, hash: NO_HASH });
    for (const write of writes) extension.writes.push(write);
    for (const row of spend) charge(extension, row);
    this.#next.records++;
    this.#wake();
  }

  /** Adds writes that hold only if this node still has the process. */
  extendWithout(end: ChainEnd, writes: readonly Write[]): void {
    this.#extensionOf(end, end.seq + 1, writes).writes.push(...writes);
    this.#wake();
  }

  /** Adds writes that need no lease: a message from outside, a signal. */
  write(...writes: Write[]): void {
    this.#next.writes.push(...writes);
    this.#wake();
  }

  whenDurable(waiter: (error?: unknown) => void): void {
    if (this.#failure !== undefined) return queueMicrotask(() => waiter(this.#failure));
    if (!this.#isEmpty()) {
      this.#next.waiters.push(waiter);
      return this.#schedule();
    }
    const last = this.#underWay.at(-1);
    if (last === undefined) queueMicrotask(waiter);
    else last.waiters.push(waiter);
  }

  /** Calls back after the next commit, without asking for one. */
  afterCommit(callback: () => void): void {
    if (!this.#isEmpty()) {
      this.#next.after.push(callback);
      return this.#wake();
    }
    const last = this.#underWay.at(-1);
    if (last === undefined) queueMicrotask(callback);
    else last.after.push(callback);
  }

  /** The same, also when nothing waits to be written yet. */
  afterNextCommit(callback: () => void): void {
    this.#next.after.push(callback);
  }

  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.whenDurable((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  #isEmpty(): boolean {
    return this.#next.extensions.length === 0 && this.#next.writes.length === 0;
  }

  #extensionOf(end: ChainEnd, firstSeq: number, writes: readonly Write[]): Extension {
    const { extensions, latest } = this.#next;
    let extension = latest.get(end.key);
    const isPassed = extension !== undefined && extension !== extensions.at(-1);
    if (extension === undefined || (isPassed && writes.some(isSharedRow))) {
      const { key: process, pid, tenant, epoch } = end;
      extension = {
        process,
        pid,
        tenant,
        epoch,
        at: 0,
        firstSeq,
        end: "",
        records: [],
        writes: [],
        spend: [],
        microUsd: 0,
        tokens: 0,
        toolCalls: 0,
        overMicroUsd: 0,
        overTokens: 0,
      };
      extensions.push(extension);
      this.#next.chains.push(end);
      latest.set(end.key, extension);
    }
    return extension;
  }

  #wake(): void {
    if (this.#failure !== undefined || this.#scheduled || this.#isFull()) return;
    if (this.#next.records >= MAX_WAITING_RECORDS) this.#schedule();
    else this.#timer ??= setTimeout(() => this.#schedule(), IDLE_FLUSH_MS);
  }

  #schedule(): void {
    if (this.#scheduled || this.#failure !== undefined || this.#isFull()) return;
    this.#scheduled = true;
    setImmediate(() => this.#commit());
  }

  #isFull(): boolean {
    return this.#underWay.length >= this.#store.commitsAhead;
  }

  #commit(): void {
    this.#scheduled = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isEmpty() || this.#failure !== undefined) return;
    const batch = this.#next;
    this.#next = emptyBatch();
    const now = this.#platform.now();
    for (const extension of batch.extensions) extension.at = now;
    this.#underWay.push(batch);
    const isLone = this.#isLone(batch);
    const isLeft = !isLone && this.#store.linkAndCommit !== undefined;
    if (!isLeft) this.#link(batch);
    if (isLone && this.#commitNow(batch)) return;
    const { extensions, writes } = batch;
    const committing = isLeft
      ? this.#store.linkAndCommit!(extensions, leaveLinks(batch), writes)
      : this.#store.commit(extensions, writes);
    committing.then(
      (result) => this.#done(batch, result),
      (error: unknown) => this.fail(error),
    );
    if (this.#next.waiters.length > 0) this.#schedule();
  }

  #link({ extensions, chains }: Batch): void {
    for (let nth = 0; nth < chains.length; nth++)
      chains[nth]!.hash = linkRecords(extensions[nth]!, chains[nth]!.hash);
  }

  /** What the store has linked; what is under way after it goes on from there. */
  #takeLinks({ extensions, chains }: Batch, ends: string): void {
    for (let nth = 0; nth < chains.length; nth++) {
      const chain = chains[nth]!;
      const end = ends.slice(nth * HASH_LENGTH, (nth + 1) * HASH_LENGTH);
      extensions[nth]!.end = end;
      if (!this.#underWay.some(({ latest }) => latest.has(chain.key))) chain.hash = end;
    }
  }

  /** GROUP-COMMIT-5. */
  #isLone(batch: Batch): boolean {
    const process = batch.extensions.length === 1 ? batch.extensions[0]!.process : undefined;
    this.#alone = process === undefined || process !== this.#last ? 0 : this.#alone + 1;
    this.#last = process;
    return this.#alone >= LONE_COMMITS && batch.waiters.length === 1 && this.#underWay.length === 1;
  }

  #commitNow(batch: Batch): boolean {
    let result: CommitResult | undefined;
    try {
      result = this.#store.commitNow?.(batch.extensions, batch.writes);
    } catch (error) {
      this.fail(error);
      return true;
    }
    if (result !== undefined) this.#done(batch, result);
    return result !== undefined;
  }

  #done(batch: Batch, { fenced, ends }: CommitResult): void {
    if (this.#failure !== undefined) return; // one before it failed: whoever waited has been told
    this.#underWay.shift();
    if (ends !== undefined) this.#takeLinks(batch, ends);
    const refused = new Set(fenced);
    for (const key of refused) this.#onFenced(key);
    try {
      this.#onDurable(batch.extensions.filter(({ process }) => !refused.has(process)));
    } catch (error) {
      // It is on the disk, and what must be written beside it is not: nobody may go on from it.
      this.#underWay.unshift(batch);
      return this.fail(error);
    }
    for (const waiter of batch.waiters) waiter();
    for (const callback of batch.after) callback();
    if (this.#next.waiters.length > 0) this.#schedule();
    else if (!this.#isEmpty()) this.#wake();
  }

  /** GROUP-COMMIT-4. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const failure = storeFailure(error, this.#store.name); // a file beside it may have failed, too
    this.#failure = failure;
    for (const batch of [...this.#underWay, this.#next])
      for (const waiter of batch.waiters) waiter(failure);
    this.#onFailure(failure);
  }
}
