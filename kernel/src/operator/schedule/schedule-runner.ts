// ScheduleRunner: looks after the schedules of this node: which are its own, and when each is to be looked at.
//
//   begin()        takes over schedules, and what a crash left of their runs
//   ended(key)     a process has ended
//   inTurn(…)      a change of a schedule, between two of its ticks
//
// SCHEDULE-RUNNER-1  The cursor follows the machine's clock and never goes back: a clock that was set back is waited
//     for, and one that was set forward is time in which nobody looked.
// SCHEDULE-RUNNER-2  What is done to one schedule is done in order, one thing after the other.

import { AsyncLocalStorage } from "node:async_hooks";
import { SysError } from "@aos/protocol";
import type { ScheduleProof } from "../../audit/schedule-proof.ts";
import type { Journal } from "../../journal/journal.ts";
import { MAX_TIMER_MS, type Platform } from "../../platform/clock.ts";
import { dueTicks } from "../../schedule/due-ticks.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { ProcessKey } from "../../store/rows.ts";
import type { ScheduleRow } from "../../store/schedule-rows.ts";
import type { EventSources } from "./event-sources.ts";
import { entryOf, waiting, type ScheduleEntry } from "./schedule-entry.ts";
import type { ScheduleRuns } from "./schedule-runs.ts";

/** Runs that were missed and are made up for begin one after the other: so many within a second. */
const LATE_AT_ONCE = 20;
/** Events are looked for when their coming is noticed, and in any case after so many looks. */
const LOOKS_APART = 5;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly node: string;
  readonly leaseMs: number;
  /** How long it rests at most between two looks at the clock. */
  readonly lookMs: number;
  readonly runs: ScheduleRuns;
  readonly events: EventSources;
  readonly proof: ScheduleProof;
  readonly trouble: (what: string, error: unknown) => void;
}

export class ScheduleRunner {
  readonly #parts: Parts;
  /** Of nobody who asked for something: what is done later is not in a caller's name. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #entries = new Map<number, ScheduleEntry>();
  #timer: NodeJS.Timeout | undefined;
  #claims: NodeJS.Timeout | undefined;
  #isOpen = false;
  readonly #under = new Set<Promise<unknown>>();
  /** Starts that make up for a missed tick: how many within which second. */
  #late = { second: 0, count: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    this.#isOpen = true;
    await this.claim();
    if (this.#parts.store.kind === "postgres") {
      this.#claims = setInterval(
        () => this.#quietly("schedules could not be taken over", () => this.claim()),
        this.#parts.leaseMs / 3,
      );
      this.#claims.unref();
    }
    this.#look();
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    clearInterval(this.#claims);
  }

  async atRest(): Promise<void> {
    await Promise.allSettled(this.#under);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Those of this node that have a row that nobody wrote. */
  problemOf(key: number): string | undefined {
    return this.#entries.get(key)?.problem;
  }

  /** Takes those of nodes that are gone, and reads again what others have changed. */
  async claim(): Promise<void> {
    const { store, node, platform, proof } = this.#parts;
    await this.#parts.journal.durable();
    const rows = await store.claimSchedules(node, platform.now());
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
    const fresh = rows.filter((row) => this.#entries.get(row.key)?.row.revision !== row.revision);
    const problems = fresh.length === 0 ? new Map<number, string>() : await proof.problemsOf(fresh);
    for (const row of fresh) await this.adopt(row, problems.get(row.key));
    const known = rows.filter((row) => !fresh.includes(row));
    for (const { key } of known)
      await this.#enter(this.#entries.get(key)!, (entry) => this.#reread(entry));
    this.#wake();
  }

  /** From now on as in this row. */
  async adopt(row: ScheduleRow, problem?: string): Promise<ScheduleEntry> {
    const { store, trouble } = this.#parts;
    const before = this.#entries.get(row.key);
    const entry = entryOf(row, await store.tenantName(row.tenant));
    entry.problem = problem;
    if (problem !== undefined)
      trouble(`the schedule ${row.name} starts nothing`, new SysError("EPOLICY", problem));
    if (before !== undefined) entry.turn = before.turn;
    if (row.node === this.#parts.node) {
      this.#entries.set(row.key, entry);
      this.hasTriggers ||= entry.schedule.on !== undefined;
    }
    await this.#reread(entry);
    this.#wake();
    return entry;
  }

  forget(key: number): void {
    this.#entries.delete(key);
  }

  /** What is done between two ticks of a schedule; of another node's as it is now. */
  async inTurn<T>(row: ScheduleRow, work: (entry: ScheduleEntry) => Promise<T>): Promise<T> {
    let entry = this.#entries.get(row.key);
    if (entry === undefined || entry.row.revision !== row.revision) {
      const problem = (await this.#parts.proof.problemsOf([row])).get(row.key);
      entry = await this.adopt(row, problem);
    }
    return this.#enter(entry, async (now) => {
      // What is due is decided by the rules that it was due under.
      if (this.#entries.has(now.row.key) && now.problem === undefined) await this.#advance(now);
      return work(now);
    });
  }

  /** What is left that is due, where it was too much to be made up for at once: a row says so. */
  leaveOut(entry: ScheduleEntry, why: string): void {
    if (entry.schedule.on !== undefined || entry.problem !== undefined) return;
    const { ticks } = this.#due(entry);
    const [first, last] = [ticks[0], ticks.at(-1)];
    if (first === undefined || last === undefined) return;
    const to = entry.calendar.next(last.nominal) ?? last.nominal + 1;
    this.#parts.runs.omit(entry, { from: first.nominal, to }, why);
  }

  /** Whether events start any of those of this node. */
  hasTriggers = false;

  /** Something has come for the schedules with a trigger for which this holds. */
  nudge(isMeant: (entry: ScheduleEntry) => boolean): void {
    let isAny = false;
    for (const entry of this.#entries.values()) {
      if (entry.schedule.on === undefined || !isMeant(entry)) continue;
      entry.nextAt = 0;
      entry.isNudged = true;
      isAny = true;
    }
    if (isAny) this.#wake();
  }

  /** A run of a schedule, or any other process. */
  ended(key: ProcessKey): void {
    const run = this.#parts.runs.takeEnded(key);
    if (run === undefined) return;
    const { schedule, tick } = run;
    this.#quietly(`the end of ${tick.pid} could not be recorded`, () =>
      this.#enter(schedule, async (now) => {
        await this.#parts.runs.settle(now, tick);
        this.plan(now);
      }),
    );
  }

  /** Looks at it again as soon as something is due. */
  plan(entry: ScheduleEntry, nextAt = this.#nextOf(entry)): void {
    const now = this.#parts.platform.wall();
    const later = waiting(entry).filter(({ dueAt }) => dueAt > now);
    entry.nextAt = Math.min(nextAt, ...later.map(({ dueAt }) => dueAt));
    this.#wake();
  }

  /** Its row is another than was thought. */
  async reload(key: number): Promise<void> {
    const row = await this.#parts.store.scheduleByKey(key);
    if (row === undefined) return this.forget(key);
    if (row.revision === this.#entries.get(key)?.row.revision) return;
    await this.adopt(row, (await this.#parts.proof.problemsOf([row])).get(key));
  }

  #enter<T>(entry: ScheduleEntry, work: (entry: ScheduleEntry) => Promise<T>): Promise<T> {
    const now = () => work(this.#entries.get(entry.row.key) ?? entry);
    const mine = entry.turn.then(now, now);
    entry.turn = mine.catch(() => {});
    const present = this.#entries.get(entry.row.key);
    if (present !== undefined) present.turn = entry.turn;
    return mine;
  }

  #quietly(what: string, work: () => Promise<unknown>): void {
    const doing = this.#outside(work).catch((error: unknown) => {
      if (this.#isOpen) this.#parts.trouble(what, error);
    });
    this.#under.add(doing);
    void doing.then(() => this.#under.delete(doing));
  }

  async #reread(entry: ScheduleEntry): Promise<void> {
    for (const key of await this.#parts.runs.reread(entry)) this.ended(key);
    entry.nextAt = 0;
  }

  #wake(): void {
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    const { platform, lookMs } = this.#parts;
    let next = Infinity;
    for (const { nextAt } of this.#entries.values()) next = Math.min(next, nextAt);
    const inMs = Math.max(0, Math.min(next - platform.wall(), lookMs, MAX_TIMER_MS));
    this.#timer = this.#outside(setTimeout, () => this.#look(), inMs);
    this.#timer.unref();
  }

  #look(): void {
    const now = this.#parts.platform.wall();
    for (const entry of this.#entries.values()) {
      if (entry.nextAt > now || entry.problem !== undefined) continue;
      entry.nextAt = Infinity; // until it is known
      this.#quietly(`the schedule ${entry.row.name} could not be looked at`, async () => {
        try {
          await this.#enter(entry, (present) => this.#advance(present));
        } catch (error) {
          entry.nextAt = now + 1000;
          throw error;
        } finally {
          this.#wake();
        }
      });
    }
    this.#wake();
  }

  #nextOf(entry: ScheduleEntry): number {
    return entry.schedule.on === undefined ? (this.#due(entry).nextAt ?? Infinity) : 0;
  }

  #due(entry: ScheduleEntry) {
    const { row, schedule, calendar } = entry;
    const { jitter = 0, catchUp } = schedule;
    const now = this.#parts.platform.wall();
    const { name, cursor } = row;
    return dueTicks({ calendar, name, jitterMs: jitter, catchUp, cursor, now });
  }

  async #advance(entry: ScheduleEntry): Promise<void> {
    if (!this.#isOpen) return;
    if (entry.schedule.on !== undefined) return this.#takeEvents(entry);
    const { runs } = this.#parts;
    const { ticks, omitted, nextAt } = this.#due(entry);
    if (omitted !== undefined) runs.omit(entry, omitted);
    for (const tick of ticks) {
      if (!this.#isOpen) return;
      if (tick.isLate && !tick.isMissed && !this.#mayMakeUp()) {
        entry.nextAt = this.#parts.platform.wall() + 1000;
        return;
      }
      await runs.tick(entry, tick);
    }
    await runs.goOn(entry);
    if (ticks.length > 0) await runs.prune(entry, ticks.length);
    this.plan(entry, nextAt ?? Infinity);
  }

  async #takeEvents(entry: ScheduleEntry): Promise<void> {
    const { runs, events, platform, lookMs, journal } = this.#parts;
    let count = 0;
    let restMs = 0;
    entry.isNudged = false;
    await runs.goOn(entry);
    for (;;) {
      await journal.durable(); // so that what was taken before is not found again
      const page = await events.next(entry);
      if (page.length === 0) events.pass(entry);
      let taken = 0;
      for (const event of page) {
        restMs = this.#isOpen ? await events.restMs(entry) : lookMs;
        if (restMs > 0) break;
        await runs.event(entry, event);
        taken += 1;
      }
      count += taken;
      if (taken === 0) break;
    }
    const looks = entry.schedule.on?.files === undefined ? LOOKS_APART : 1;
    const nextMs = entry.isNudged ? 0 : Math.max(restMs, lookMs * looks);
    this.plan(entry, platform.wall() + nextMs);
    await runs.prune(entry, count);
  }

  #mayMakeUp(): boolean {
    const second = Math.floor(this.#parts.platform.wall() / 1000);
    if (this.#late.second !== second) this.#late = { second, count: 0 };
    return ++this.#late.count <= LATE_AT_ONCE;
  }
}
