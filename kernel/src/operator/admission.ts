// AdmissionControl: limits the trees that run at once. Others are pending rows.
//
//   enter(tenant)   a ticket for a new tree: to run, or in the queue
//   add(row)        adds a pending tree
//   report()        the numbers of running and pending trees
//
// ADMISSION-1  A tree counts while one of its processes is in memory. A tree that only waits and has left memory does
//     not count; when it wakes it always runs.
// ADMISSION-2  Tickets are counted when they are issued, so that two concurrent starts cannot both take the last one.
// ADMISSION-3  A pending tree is a row in state `pending`. A boot reads these rows before it admits new trees, and
//     what ran before the boot goes first.
// ADMISSION-4  A full queue refuses with the time to retry.
// ADMISSION-5  After close nothing more is admitted.

import { SysError, type QueueReport, type SlotReport } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import type { Admission as Rules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ListedProcess, ProcessKey, ProcessRow, TenantKey } from "../store/rows.ts";
import { AdmissionQueue, queuedTree, type QueuedTree } from "./admission-queue.ts";

/** So many of the last beginnings say how fast the queue moves. */
const REMEMBERED = 20;
const LEAST_RETRY_MS = 1000;
const MOST_RETRY_MS = 600_000;
/** One that could not be begun is tried again after this. */
const AGAIN_MS = 1000;

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly node: string;
  readonly rules: Rules;
  /** Starts the program of one that waited. */
  readonly begin: (key: ProcessKey) => Promise<unknown>;
  /** To be woken at this time, in milliseconds since 1970. */
  readonly alarm: (at: number) => void;
  readonly slots: () => SlotReport[];
  readonly trouble: (what: string, error: unknown) => void;
}

/** A place for one that is about to be born. It is given back once the newborn itself counts. */
export interface AdmissionTicket {
  readonly isQueued: boolean;
  readonly giveBack: () => void;
}

export class AdmissionControl {
  readonly #parts: Parts;
  readonly #queue = new AdmissionQueue();
  /** Places that are given and not yet used: to run, and in the queue by tenant. */
  #toRun = 0;
  readonly #toQueue = new Map<TenantKey, number>();
  /** When the last ones began, in milliseconds since 1970. */
  readonly #begun: number[] = [];
  #isOpen = false;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.table.onTreeLeft = () => this.#pump();
  }

  /** ADMISSION-3. The ones that wait on this node: to be called when it has taken over what others left. */
  async look(): Promise<void> {
    const { journal, node } = this.#parts;
    const wanted = { states: ["pending"], node, limit: Number.MAX_SAFE_INTEGER } as const;
    for (const row of await journal.store.processes(wanted)) this.#queue.add(queuedTree(row));
  }

  /** ADMISSION-3. What ran is in memory again. */
  open(): void {
    this.#isOpen = true;
    this.#pump();
  }

  close(): void {
    this.#closed = true;
  }

  /** ADMISSION-2, ADMISSION-4. */
  enter(tenant: TenantKey): AdmissionTicket {
    if (this.#closed) throw stopping(); // ADMISSION-5
    if (this.#isOpen && this.#queue.size === 0 && this.#hasRoom) {
      this.#toRun += 1;
      return this.#ticket(false, () => (this.#toRun -= 1));
    }
    this.#refuseFull(tenant);
    this.#expect(tenant, 1);
    return this.#ticket(true, () => this.#expect(tenant, -1));
  }

  /** It waits for its turn, where its row says now. */
  add(row: ProcessRow): void {
    if (row.spec.expiresAt !== undefined) this.#parts.alarm(row.spec.expiresAt);
    this.#queue.remove(row.key); // another node may have changed its lane
    this.#queue.add(queuedTree(row));
    this.#pump();
  }

  /** It has ended, is paused, or is another node's. */
  remove(key: ProcessKey): void {
    this.#queue.remove(key);
  }

  /** Its lane is another one. */
  move(row: ListedProcess): void {
    if (this.#queue.remove(row.key)) this.#queue.add(queuedTree(row));
  }

  place(key: ProcessKey): number | null {
    return this.#queue.place(key);
  }

  report(): Omit<QueueReport, "mailboxes"> {
    const { rules, slots } = this.#parts;
    return {
      running: this.#running,
      limit: rules.running,
      queued: this.#queue.byLane(),
      queueLimit: rules.queued,
      slots: slots(),
    };
  }

  get #running(): number {
    return this.#parts.table.treeCount + this.#toRun;
  }

  get #hasRoom(): boolean {
    return this.#running < this.#parts.rules.running;
  }

  #ticket(isQueued: boolean, free: () => void): AdmissionTicket {
    let isHeld = true;
    const giveBack = () => {
      if (!isHeld) return;
      isHeld = false;
      free();
      this.#pump();
    };
    return { isQueued, giveBack };
  }

  #expect(tenant: TenantKey, change: 1 | -1): void {
    const count = (this.#toQueue.get(tenant) ?? 0) + change;
    if (count === 0) this.#toQueue.delete(tenant);
    else this.#toQueue.set(tenant, count);
  }

  #refuseFull(tenant: TenantKey): void {
    const { queued, queuedPerTenant } = this.#parts.rules;
    const coming = [...this.#toQueue.values()].reduce((sum, count) => sum + count, 0);
    const all = this.#queue.size + coming;
    const own = this.#queue.countOf(tenant) + (this.#toQueue.get(tenant) ?? 0);
    if (all >= queued)
      throw full(`${all} processes wait in the start queue`, queued, "queued", this.#gapMs());
    if (own >= queuedPerTenant) {
      const gapMs = (this.#gapMs() * all) / Math.max(1, own); // those of others begin in between
      throw full(
        `${own} processes of this tenant wait in the start queue`,
        queuedPerTenant,
        "queuedPerTenant",
        gapMs,
      );
    }
  }

  /** How long it takes, as things go now, until the next one begins. */
  #gapMs(): number {
    const [first, last] = [this.#begun[0], this.#begun.at(-1)];
    if (first === undefined || last === undefined) return LEAST_RETRY_MS;
    const mean = (last - first) / Math.max(1, this.#begun.length - 1);
    return Math.max(mean, this.#parts.platform.now() - last); // it may have come to a stop
  }

  /** Begins those for whom there is room. */
  #pump(): void {
    const { journal, platform } = this.#parts;
    while (this.#isOpen && !this.#closed && journal.failure === undefined && this.#hasRoom) {
      const next = this.#queue.take();
      if (next === undefined) return;
      this.#begun.push(platform.now());
      if (this.#begun.length > REMEMBERED) this.#begun.shift();
      void this.#begin(next);
    }
  }

  async #begin(next: QueuedTree): Promise<void> {
    this.#toRun += 1;
    try {
      await this.#parts.begin(next.key);
    } catch (error) {
      this.#parts.trouble("a process that waited for its turn could not be begun", error);
      const again = () => {
        this.#queue.add(next);
        this.#pump();
      };
      setTimeout(again, AGAIN_MS).unref();
    } finally {
      this.#toRun -= 1;
      this.#pump();
    }
  }
}

const stopping = (): SysError =>
  new SysError("ESHUTDOWN", "the daemon is stopping, and starts no more processes", {
    hint: "repeat the request when it is up again",
    retryAfter: LEAST_RETRY_MS,
  });

function full(what: string, limit: number, setting: string, gapMs: number): SysError {
  const retryAfter = Math.round(Math.min(MOST_RETRY_MS, Math.max(LEAST_RETRY_MS, gapMs)));
  return new SysError("EAGAIN", `${what}, and the limit is ${limit}`, {
    hint: `try again in ${Math.ceil(retryAfter / 1000)} s, or raise scheduler.${setting} in config.yaml`,
    retryAfter,
  });
}
