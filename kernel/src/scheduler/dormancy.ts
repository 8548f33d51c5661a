// Dormancy: unloads a process that waits long, and loads it when what it waits for arrives.
//
// DORMANCY-1  What a dormant process waits for is in the store before it leaves.
// DORMANCY-2  Nothing that arrives during loading or unloading is lost: a process in the table receives it directly,
//     and one that was being read is read again after it is in the table.
// DORMANCY-3  A pending process is not started by what arrives for it: signals reach it, and it keeps waiting.
// DORMANCY-4  A row says that its process waits at once for long waits (a person, a timer of seconds), and within
//     seconds for possibly short ones (a message, a child): short waits cost no write.

import { SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { labelText } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import { loadHistory, noSuchProcess, processFromRows, type ProcessImage } from "../process/load.ts";
import type { AccountRegistry } from "../process/accounts.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { Manifests } from "../process/manifests.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { StoredProcess } from "../store/queries.ts";
import type { Boundary } from "./boundary.ts";
import { isParked, stateBefore } from "./parking.ts";
import { restartFromCheckpoint } from "./checkpoint-restart.ts";
import { WakeTimer } from "./wake-timer.ts";

/** What brings a process into memory, where that matters: its turn to begin, or the start of this node. */
type Why = "turn" | "boot";

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly manifests: Manifests;
  readonly boundary: Boundary;
  readonly deadLetters: DeadLetters;
  readonly node: string;
  readonly unloadAfterMs: number;
  /** The store has lost something of it: nothing of it runs until that is accepted. */
  readonly isHeld: (key: ProcessKey) => boolean;
  /** Throws where its rows give it more than its history does. */
  readonly prove: (process: Process, stored: StoredProcess) => Promise<void>;
  /** It was proven, and nobody can have changed it since. */
  readonly isProven: (key: ProcessKey) => boolean;
  /** How many of a tree live, before one of it runs. */
  readonly know: (root: ProcessKey, count: number) => void;
  /** One of the tree has left memory. */
  readonly forget: (root: ProcessKey) => void;
  /** What it was given, and what was taken from it, while it was not in memory. */
  readonly settle: (process: Process, stored?: StoredProcess) => Promise<void>;
  /** Ends it where its time to live is over; whether it was. */
  readonly expire: (process: Process) => boolean;
  /** It has not begun: it waits for its turn, or it is paused. */
  readonly queue: (process: Process) => void;
  readonly start: (process: Process, image: ProcessImage) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

/** A wait for a message or a child that is longer than this is said in the row. */
const SAID_AFTER_MS = 1000;

export class Dormancy {
  readonly #parts: Parts;
  readonly #loading = new Map<ProcessKey, Promise<Process | undefined>>();
  /** Those that are being loaded and that something has come for since they were read (DORMANCY-2). */
  readonly #arrived = new Set<ProcessKey>();
  #sweep: NodeJS.Timeout | undefined;
  readonly #timer: WakeTimer;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#timer = new WakeTimer({ ...parts, wake: (key) => this.wake(key) });
  }

  /** Begins to look for processes that have waited long. */
  begin(): void {
    const everyMs = Math.max(50, Math.min(1000, this.#parts.unloadAfterMs / 2));
    this.#sweep = setInterval(() => this.#unloadIdle(), everyMs);
    this.#sweep.unref();
    void this.#timer.ring();
  }

  /** To be called when processes with timers have come to this node. */
  lookAtTimers(): Promise<void> {
    return this.#timer.ring();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweep);
    this.#timer.close();
  }

  /** Once it is closed: resolves when nothing is being read from the store any more. */
  async atRest(): Promise<void> {
    await this.#timer.atRest();
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
    this.#timer.set(at);
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
    if (under !== undefined) {
      this.#arrived.add(key);
      return (await under.catch(() => undefined)) ?? this.wake(key, why);
    }
    const loading = this.#load(key, why).finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  /** Something for all processes of an agent has arrived. */
  arrivedForAll(): void {
    for (const key of this.#loading.keys()) this.#arrived.add(key);
  }

  wakeLater(key: ProcessKey): void {
    this.wake(key).catch((error: unknown) => {
      if (error instanceof SysError && error.code === "ENOENT") return; // a hint may name what is not there
      this.#parts.trouble(`a process could not be loaded`, error);
    });
  }

  async #load(key: ProcessKey, why: Why | undefined): Promise<Process | undefined> {
    const { journal, table, node, accounts } = this.#parts;
    this.#arrived.delete(key); // what has come by now is durable, and read, in a moment
    await journal.durable();
    const records = this.#parts.isProven(key) ? "base" : "all";
    const stored = await journal.store.stored(key, { records, spent: !accounts.isKnown(key) });
    if (stored === undefined) throw noSuchProcess(key);
    if (stored.row.endedAt !== null) this.#parts.deadLetters.buryOfEnded(stored.messages);
    if (stored.row.endedAt !== null || stored.chain.node !== node || this.#closed) return undefined;
    const process = await processFromRows(this.#parts, stored);
    await this.#parts.prove(process, stored);
    if (this.#closed) return undefined;
    process.asleep = process.state === "waiting";
    if (process.asleep) process.state = "running";
    table.add(process); // from here on it is told directly (DORMANCY-2)
    try {
      return await this.#rebuild(process, why, stored);
    } catch (error) {
      table.remove(process); // it is as it was: rows, and the next to call it finds the same trouble
      throw error;
    }
  }

  async #rebuild(
    process: Process,
    why: Why | undefined,
    stored: StoredProcess,
  ): Promise<Process | undefined> {
    const { journal, boundary, expire } = this.#parts;
    const { messages, signals } = await this.#settle(process, stored);
    process.mailbox.fill(messages);
    for (const signal of signals) boundary.arrive(process, signal);
    if (!process.hasBegun) boundary.reach(process);
    if (process.ended || expire(process)) return undefined;
    if (isParked(process.row) && !this.#triesAgain(process, why)) {
      if (!process.ended) this.#rest(process);
      return undefined;
    }
    if (process.isPaused && process.signals.length === 0 && !process.isParked)
      return this.#rest(process);
    if (!process.hasBegun && (process.isPaused || why !== "turn")) return this.#rest(process); // DORMANCY-3
    if (!process.hasBegun) this.#begin(process);
    this.#parts.know(process.row.root, stored.treeCount);
    const read = process.seq === stored.chain.seq ? stored : undefined; // it may have records since
    const image = await loadHistory(journal.store, process, process.row.base, read);
    if (process.ended || this.#closed) return undefined;
    restartFromCheckpoint(this.#parts, process, image);
    this.#parts.start(process, image);
    return process;
  }

  /** DORMANCY-2. Records what came for a process in the table; returns what waits for it. */
  async #settle(
    process: Process,
    stored: StoredProcess,
  ): Promise<Pick<StoredProcess, "messages" | "signals">> {
    const { settle, journal } = this.#parts;
    if (!this.#arrived.has(process.key)) {
      await settle(process, stored);
      return stored;
    }
    await journal.durable();
    await settle(process);
    const messages = await journal.store.messages(process.key);
    return { messages, signals: await journal.store.signals(process.key) };
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

  /** DORMANCY-1, DORMANCY-4. Only once for the same wait. */
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
      if (wakeAt !== null) this.#timer.set(wakeAt);
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
    if (row.spec.expiresAt !== undefined) this.#timer.set(row.spec.expiresAt);
  }
}

/** DORMANCY-4. */
function isLong({ pending }: Process, nowMs: number): boolean {
  for (const { waitsOn, until = 0 } of pending.values())
    if (waitsOn === "approval" || (waitsOn === "timer" && until - nowMs > SAID_AFTER_MS))
      return true;
  return false;
}
