// Dormancy: a process that waits long leaves memory, and comes back when what it waits for arrives.
//
// O1  What a dormant process waits for is in the store before it leaves.
// O2  Nothing that arrives while a process is being loaded or unloaded is lost: what is in the table
//     is told directly, and what is not is read from the store after it is.
// O3  One that has not begun is not begun by what arrives for it: signals reach it, and it waits on.
// O4  A row says that its process waits at once where the wait is long by its nature (a person, a timer of
//     seconds), and within seconds where it may be short (a message, a child): short waits cost no write.

import type { Journal } from "../journal/journal.ts";
import { labelText } from "../label/label.ts";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import { loadHistory, loadShell, type Image } from "../process/load.ts";
import type { AccountBook } from "../process/accounts.ts";
import type { Blocks } from "../process/blocks.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { Process } from "../process/process.ts";
import type { Table } from "../process/table.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { Boundary } from "./boundary.ts";
import { isParked, stateBefore } from "./parking.ts";
import { beginSecondLife } from "./second-life.ts";

/** What brings a process into memory, where that matters: its turn to begin, or the start of this node. */
type Why = "turn" | "boot";

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: Table;
  readonly blocks: Blocks;
  readonly accounts: AccountBook;
  readonly boundary: Boundary;
  readonly deadLetters: DeadLetters;
  readonly node: string;
  readonly unloadAfterMs: number;
  /** The store has lost something of it: nothing of it runs until that is accepted. */
  readonly isHeld: (key: ProcessKey) => boolean;
  /** Throws where its rows give it more than its history does. */
  readonly prove: (process: Process) => Promise<void>;
  /** Counts the living of a tree before one of it runs. */
  readonly know: (root: ProcessKey) => Promise<void>;
  /** One of the tree has left memory. */
  readonly forget: (root: ProcessKey) => void;
  /** What it was given, and what was taken from it, while it was not in memory. */
  readonly settle: (process: Process) => Promise<void>;
  /** Ends it where its time to live is over; whether it was. */
  readonly expire: (process: Process) => boolean;
  /** It has not begun: it waits for its turn, or it is paused. */
  readonly queue: (process: Process) => void;
  readonly start: (process: Process, image: Image) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

/** A wait for a message or a child that is longer than this is said in the row. */
const SAID_AFTER_MS = 1000;

export class Dormancy {
  readonly #parts: Parts;
  readonly #loading = new Map<ProcessKey, Promise<Process | undefined>>();
  #sweep: NodeJS.Timeout | undefined;
  #alarm: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  #closed = false;
  #ringing: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins to look for processes that have waited long. */
  begin(): void {
    const everyMs = Math.max(50, Math.min(1000, this.#parts.unloadAfterMs / 2));
    this.#sweep = setInterval(() => this.#unloadIdle(), everyMs);
    this.#sweep.unref();
    void this.#ring();
  }

  /** To be called when processes with timers have come to this node. */
  lookAtTimers(): Promise<void> {
    return this.#ring();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#alarm?.timer);
  }

  /** Once it is closed: resolves when nothing is being read from the store any more. */
  async atRest(): Promise<void> {
    await this.#ringing;
    await Promise.allSettled(this.#loading.values());
  }

  /** A process has begun to wait. */
  waiting(process: Process): void {
    process.dormantSince = this.#parts.platform.now();
    if (!process.isDormant) return;
    if (this.#parts.unloadAfterMs === 0) this.#unload(process);
    else if (isLong(process, process.dormantSince)) this.#say(process);
  }

  /** To be looked at timers at this time, in milliseconds since 1970. */
  alarm(at: number): void {
    this.#setAlarm(at);
  }

  /**
   * Something for this process has arrived: has it in memory, and running unless it is paused. Its turn
   * to begin is such a thing only when that is said.
   */
  async wake(key: ProcessKey, why?: Why): Promise<Process | undefined> {
    const loaded = this.#parts.table.get(key);
    if (loaded !== undefined || this.#closed) return loaded;
    if (this.#parts.isHeld(key)) return undefined;
    const under = this.#loading.get(key);
    // One that decided not to load may have looked before what we know of was there: it is looked again.
    if (under !== undefined) return (await under.catch(() => undefined)) ?? this.wake(key, why);
    const loading = this.#load(key, why).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  wakeLater(key: ProcessKey): void {
    this.wake(key).catch((error: unknown) =>
      this.#parts.trouble(`a process could not be loaded`, error),
    );
  }

  async #load(key: ProcessKey, why: Why | undefined): Promise<Process | undefined> {
    const { journal, table, node } = this.#parts;
    const { store } = journal;
    await journal.durable();
    const process = await loadShell(
      { store, blocks: this.#parts.blocks, accounts: this.#parts.accounts },
      key,
    );
    const chain = await store.chain(key);
    if (process.row.endedAt !== null) await this.#parts.deadLetters.buryOfEnded(key);
    if (process.row.endedAt !== null || chain?.node !== node || this.#closed) return undefined;
    await this.#parts.prove(process);
    process.asleep = process.state === "waiting";
    if (process.asleep) process.state = "running";
    table.add(process); // from here on it is told directly (O2)
    try {
      return await this.#rebuild(process, why);
    } catch (error) {
      table.remove(process); // it is as it was: rows, and the next to call it finds the same trouble
      throw error;
    }
  }

  async #rebuild(process: Process, why: Why | undefined): Promise<Process | undefined> {
    const { journal, boundary, expire } = this.#parts;
    await journal.durable();
    await this.#parts.settle(process);
    process.mailbox.fill(await journal.store.messages(process.key));
    const signals = await journal.store.signals(process.key);
    for (const signal of signals) boundary.arrive(process, signal);
    if (!process.hasBegun) boundary.reach(process);
    if (process.ended || expire(process)) return undefined;
    if (isParked(process.row) && !this.#triesAgain(process, why)) {
      if (!process.ended) this.#rest(process);
      return undefined;
    }
    if (process.isPaused && process.signals.length === 0 && !process.isParked)
      return this.#rest(process);
    if (!process.hasBegun && (process.isPaused || why !== "turn")) return this.#rest(process); // O3
    if (!process.hasBegun) this.#begin(process);
    await this.#parts.know(process.row.root);
    const image = await loadHistory(journal.store, process);
    if (process.ended || this.#closed) return undefined;
    beginSecondLife(this.#parts, process, image);
    this.#parts.start(process, image);
    return process;
  }

  /** One that is parked is tried again at boot and when it is told to go on. */
  #triesAgain(process: Process, why: Why | undefined): boolean {
    this.#parts.boundary.endIfTold(process);
    if (process.ended) return false;
    if (why !== "boot" && !process.signals.some(({ signal }) => signal === "SIGCONT")) return false;
    process.isParked = true;
    process.state = stateBefore(process.row);
    return true;
  }

  /** It stays rows. */
  #rest(process: Process): undefined {
    this.#parts.table.remove(process);
    if (!process.hasBegun) this.#parts.queue(process);
    this.#setAlarmFor(process);
  }

  /** Its turn has come: from now on it runs, and a boot goes on with it. */
  #begin(process: Process): void {
    const begunAt = this.#parts.platform.now();
    process.hasBegun = true;
    process.state = "running";
    process.row.begunAt = begunAt;
    this.#parts.journal.amend(process, {
      op: "process.patch",
      key: process.key,
      patch: { state: "running", wakeAt: null, begunAt },
    });
  }

  #unloadIdle(): void {
    const now = this.#parts.platform.now();
    for (const process of this.#parts.table.all()) {
      const idleMs = process.dormantSince > 0 ? now - process.dormantSince : 0;
      if (idleMs >= this.#parts.unloadAfterMs && process.isDormant) this.#unload(process);
      else if (idleMs >= SAID_AFTER_MS && !process.asleep && process.isDormant) this.#say(process);
      else if (process.isStill) this.leave(process);
    }
  }

  /** O1, O4. Only once for the same wait. */
  #say(process: Process): void {
    const waitingOn = process.onlyWaitsOn; // several things: null, and every boot looks at it
    const { wakeAt, label } = process;
    const marks = label === process.recordedLabel ? {} : { label: labelText(label) };
    const patch = { state: "waiting", waitingOn, wakeAt, ...marks } as const;
    const restsAs = JSON.stringify(patch);
    if (process.asleep && process.restsAs === restsAs) return;
    process.asleep = true;
    process.restsAs = restsAs;
    this.#parts.journal.amend(process, { op: "process.patch", key: process.key, patch });
  }

  #unload(process: Process): void {
    const { wakeAt } = process;
    // It may be woken before it has left, and wait for something else then: that is another nap.
    const nap = ++process.naps;
    this.#say(process);
    this.#parts.journal.afterCommit(() => {
      if (process.naps !== nap || !process.asleep || !process.isDormant) return;
      this.leave(process);
      if (wakeAt !== null) this.#setAlarm(wakeAt);
    });
  }

  /** Out of memory: rows from here on. */
  leave(process: Process): void {
    this.#parts.table.remove(process);
    void process.program?.stop();
    clearTimeout(process.wallTimer);
    process.reset();
    this.#parts.forget(process.row.root);
    this.#setAlarmFor(process);
  }

  #setAlarmFor({ row }: Process): void {
    if (row.spec.expiresAt !== undefined) this.#setAlarm(row.spec.expiresAt);
  }

  #setAlarm(at: number): void {
    if (this.#closed || (this.#alarm !== undefined && this.#alarm.at <= at)) return;
    clearTimeout(this.#alarm?.timer);
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, at - this.#parts.platform.now()));
    const timer = setTimeout(() => void this.#ring(), delayMs);
    timer.unref();
    this.#alarm = { at, timer };
  }

  /** Wakes those whose time has come. */
  #ring(): Promise<void> {
    const ringing = this.#ringNow();
    this.#ringing = Promise.all([this.#ringing, ringing]).then(() => {});
    return ringing;
  }

  async #ringNow(): Promise<void> {
    clearTimeout(this.#alarm?.timer);
    this.#alarm = undefined;
    if (this.#closed) return;
    try {
      const { due, nextAt } = await this.#parts.journal.store.due(
        this.#parts.node,
        this.#parts.platform.now(),
      );
      for (const key of due) await this.wake(key);
      if (due.length > 0) this.#setAlarm(this.#parts.platform.now() + 20);
      else if (nextAt !== null) this.#setAlarm(nextAt);
    } catch (error) {
      this.#parts.trouble("timers could not be read", error);
      this.#setAlarm(this.#parts.platform.now() + 1000);
    }
  }
}

/** O4. */
function isLong({ pending }: Process, nowMs: number): boolean {
  for (const { waitsOn, until = 0 } of pending.values())
    if (waitsOn === "approval" || (waitsOn === "timer" && until - nowMs > SAID_AFTER_MS))
      return true;
  return false;
}
