// ScheduleRuns: what a tick of a schedule comes to: a run, a place in the queue, or a row that says why not.
//
// SCHEDULE-RUNS-1  One transaction has the tick, its outcome, the run and the move of the cursor: a tick is started
//     once or has a row that says why not, whatever is killed when.
// SCHEDULE-RUNS-2  Two nodes may look at the same tick: the row decides (SCHEDULE-WRITES-1), and who lost reads the
//     schedule again.
// SCHEDULE-RUNS-3  A run has the power that its schedule was given, and nothing that was given later.
// SCHEDULE-RUNS-4  A schedule whose row is not what a person wrote starts nothing.

import { SysError } from "@aos/protocol";
import type { Journal } from "../../journal/journal.ts";
import type { Platform } from "../../platform/clock.ts";
import { monthAt } from "../../schedule/calendar.ts";
import type { DueTick, DueTicks } from "../../schedule/due-ticks.ts";
import type { Write } from "../../store/contract.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { ProcessKey, ProcessRow } from "../../store/rows.ts";
import { scheduleWrite, type TickWrite, type TickRow } from "../../store/schedule-rows.ts";
import type { AdmissionControl } from "../admission.ts";
import type { MessageRouter } from "../message-router.ts";
import type { Spawner } from "../spawner.ts";
import {
  budgetProblem,
  microUsdOf,
  running,
  waiting,
  zoneOf,
  type ScheduleEntry,
} from "./schedule-entry.ts";
import {
  givenText,
  MOST_STARTS_IN_A_CHAIN,
  withoutEvent,
  type ScheduleEvent,
} from "./schedule-event.ts";
import { isOwnFault, isoOf, overlapReason, requestOf } from "./tick-request.ts";

/** Old ticks are removed after so many new ones; the last ones stay, and those of events that may come again. */
const PRUNE_EVERY = 100;
export const TICKS_KEPT = 1000;
const EVENTS_KEPT_MS = 30 * 86_400_000;
/** One that was told to end for the next has this long. */
const REPLACED_WITHIN_MS = 10_000;
const WARN_AFTER_SKIPS = 3;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly spawner: Pick<Spawner, "spawnOn">;
  readonly router: Pick<MessageRouter, "signal">;
  readonly admission: Pick<AdmissionControl, "remove">;
  /** Too many have failed in a row. */
  readonly pause: (entry: ScheduleEntry, why: string) => Promise<void>;
  /** Its row is another than was thought. */
  readonly reload: (key: number) => Promise<void>;
  readonly trouble: (what: string, error: unknown) => void;
}

export type TickPlan = Pick<TickRow, "id" | "nominal" | "dueAt" | "given">;

/** What the row of a tick does not say. */
interface TickNote extends Pick<TickWrite, "failures" | "took" | "seen"> {
  readonly isOverlap?: true;
}

const OVERLAP: TickNote = { isOverlap: true };

export class ScheduleRuns {
  readonly #parts: Parts;
  /** The runs of schedules that have not ended. */
  readonly open = new Map<
    ProcessKey,
    { readonly schedule: ScheduleEntry; readonly tick: TickRow }
  >();
  readonly counts: Record<TickRow["outcome"], number> = {
    queued: 0,
    started: 0,
    skipped: 0,
    failed: 0,
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whose run this is, once: it has ended. */
  takeEnded(key: ProcessKey) {
    const run = this.open.get(key);
    this.open.delete(key);
    return run;
  }

  /** What the store has of it that is open; answers the runs that have ended meanwhile. */
  async reread(entry: ScheduleEntry): Promise<ProcessKey[]> {
    const { store } = this.#parts;
    const ended: ProcessKey[] = [];
    const open = await store.openTicks(entry.row.key);
    entry.open.clear();
    for (const tick of open) {
      entry.open.set(tick.id, tick);
      if (tick.process === null) continue;
      this.open.set(tick.process, { schedule: entry, tick });
      const process = await store.process(tick.pid!);
      if (process === undefined || process.endedAt !== null) ended.push(tick.process);
    }
    return ended;
  }

  /** By hand; answers what came of it. */
  async runNow(entry: ScheduleEntry, plan: TickPlan): Promise<TickRow> {
    this.#mustCount(entry);
    const known = await this.#parts.store.tick(entry.row.key, plan.id);
    return known ?? this.#decide(entry, plan);
  }

  /** Begins what waits, as far as the rules allow it now. */
  async goOn(entry: ScheduleEntry): Promise<void> {
    const { platform } = this.#parts;
    if (entry.problem !== undefined || entry.row.paused !== null) return;
    const isDue = ({ dueAt }: TickRow) => dueAt <= platform.wall();
    for (;;) {
      const queued = waiting(entry);
      const due = queued.filter(isDue);
      const next = due[0];
      if (next === undefined) return;
      const { overlap } = entry.schedule;
      const isBusy = running(entry).length > 0;
      if (isBusy && overlap === "skip") {
        this.#put(
          entry,
          { ...next, outcome: "skipped", reason: overlapReason(entry) },
          true,
          OVERLAP,
        );
      } else if (overlap === "replace" && due.length > 1) {
        const reason = "overlap: replaced by a later one";
        this.#put(entry, { ...next, outcome: "skipped", reason }, true, OVERLAP);
      } else if (isBusy && overlap === "replace") {
        return this.#replace(entry);
      } else if (isBusy && overlap === "queue") {
        const more = queued[entry.schedule.queue];
        if (more === undefined) return;
        const reason = `overlap: ${entry.schedule.queue} wait already`;
        this.#put(entry, { ...more, outcome: "skipped", reason }, true, OVERLAP);
      } else await this.#start(entry, next, true);
    }
  }

  #mustCount({ problem }: ScheduleEntry): void {
    if (problem !== undefined) throw new SysError("EPOLICY", problem);
  }

  omit(entry: ScheduleEntry, { from, to }: NonNullable<DueTicks["omitted"]>, why = "missed"): void {
    const reason = `${why}: every tick from ${isoOf(from)} to before ${isoOf(to)}`;
    const plan = { id: `missed:${isoOf(from)}`, nominal: to - 1, dueAt: from };
    this.#put(entry, this.#rowOf(entry, plan, "skipped", reason));
  }

  async tick(entry: ScheduleEntry, { nominal, dueAt, isMissed }: DueTick): Promise<void> {
    const plan = { id: isoOf(nominal), nominal, dueAt };
    const skip = (reason: string) => this.#put(entry, this.#rowOf(entry, plan, "skipped", reason));
    if (entry.row.paused !== null) skip("paused");
    else if (isMissed) skip("missed: nobody looked at that time");
    else await this.#decide(entry, plan);
  }

  /** What a trigger brought; answers what came of it, also when it is brought again. */
  async event(entry: ScheduleEntry, event: ScheduleEvent): Promise<TickRow> {
    this.#mustCount(entry);
    const { store, platform } = this.#parts;
    const { id, at = platform.now(), took, seen, depth } = event;
    const known = entry.open.get(id) ?? (await store.tick(entry.row.key, id));
    if (known !== undefined) return known;
    const note: TickNote = {
      ...(took === undefined ? {} : { took }),
      ...(seen === undefined ? {} : { seen }),
    };
    const plan = { id, nominal: at, dueAt: at, given: givenText(event) };
    const isTooDeep = depth > MOST_STARTS_IN_A_CHAIN;
    if (entry.row.paused === null && !isTooDeep) return this.#decide(entry, plan, note);
    const reason = isTooDeep ? `chain: ${depth} starts led to it` : "paused";
    const row = this.#rowOf(entry, plan, "skipped", reason);
    this.#put(entry, row, false, note);
    return row;
  }

  /** By its rule for runs that overlap. */
  async #decide(entry: ScheduleEntry, plan: TickPlan, note: TickNote = {}): Promise<TickRow> {
    const { overlap, queue } = entry.schedule;
    if (running(entry).length === 0 || overlap === "allow")
      return this.#start(entry, this.#rowOf(entry, plan, "started"), false, note);
    const queued = waiting(entry).length;
    if (overlap === "skip" || (overlap === "queue" && queued >= queue)) {
      const reason = overlap === "skip" ? overlapReason(entry) : `overlap: ${queued} wait already`;
      const row = this.#rowOf(entry, plan, "skipped", reason);
      this.#put(entry, row, false, { ...note, ...OVERLAP });
      return row;
    }
    const row = this.#rowOf(entry, plan, "queued", overlapReason(entry));
    this.#put(entry, row, false, note);
    await this.goOn(entry);
    return entry.open.get(row.id) ?? row;
  }

  /** SCHEDULE-RUNS-1. */
  async #start(
    entry: ScheduleEntry,
    given: TickRow,
    wasQueued: boolean,
    note: TickNote = {},
  ): Promise<TickRow> {
    const { spawner, platform } = this.#parts;
    const problem = budgetProblem(entry, given.nominal);
    const at = platform.now();
    if (problem !== undefined) {
      const row: TickRow = { ...given, at, outcome: "skipped", reason: problem };
      this.#put(entry, row, wasQueued, note);
      return row;
    }
    let started: TickRow | undefined;
    const writes = ({ key, pid }: ProcessRow): Write[] => {
      started = {
        ...given,
        at,
        outcome: "started",
        reason: null,
        pid,
        process: key,
        reservedMicroUsd: microUsdOf(entry),
        reservedTokens: entry.schedule.budget?.tokens ?? 0,
      };
      this.open.set(key, { schedule: entry, tick: started }); // it may end before this returns
      return this.#writesOf(entry, started, wasQueued, key, note);
    };
    try {
      const standingUntil = entry.grants.givenAt;
      await spawner.spawnOn(requestOf(entry, given), { writes, standingUntil });
    } catch (error) {
      if (started !== undefined || !isOwnFault(error)) throw error;
      return this.#failed(entry, given, error, wasQueued, note);
    }
    await this.#mustBeOurs(entry, started!);
    return started!;
  }

  /** SCHEDULE-RUNS-2. */
  async #mustBeOurs(entry: ScheduleEntry, { id, process }: TickRow): Promise<void> {
    const { store, admission } = this.#parts;
    if (store.kind === "sqlite") return;
    const there = await store.tick(entry.row.key, id);
    if (there?.process === process) return;
    admission.remove(process!);
    this.open.delete(process!);
    entry.open.delete(id);
    await this.#parts.reload(entry.row.key);
  }

  /** It could not even begin. */
  async #failed(
    entry: ScheduleEntry,
    given: TickRow,
    error: unknown,
    wasQueued: boolean,
    note: TickNote,
  ): Promise<TickRow> {
    const reason = error instanceof Error ? error.message : String(error);
    const row: TickRow = { ...given, outcome: "failed", reason };
    const failures = entry.row.failures + 1;
    entry.row = { ...entry.row, failures };
    this.#put(entry, row, wasQueued, { ...note, failures });
    await this.#pauseIfFailing(entry, reason);
    return row;
  }

  async settle(entry: ScheduleEntry, { id, pid, process: key, nominal }: TickRow): Promise<void> {
    const { store, journal, platform } = this.#parts;
    const tick = entry.open.get(id);
    const process = await store.process(pid!);
    if (process !== undefined && process.endedAt === null) return; // it goes on elsewhere
    const { microUsd, tokens } = await store.spentByTree(key!);
    const state = process?.state ?? "removed";
    const wasReplaced = entry.schedule.overlap === "replace" && waiting(entry).length > 0;
    const isFailure = state === "failed" || (state === "killed" && !wasReplaced);
    const endedAt = process?.endedAt ?? platform.now();
    const month = monthAt(zoneOf(entry), nominal);
    const exitCode = process?.exitCode ?? null;
    const end = { id, state, exitCode, endedAt, isFailure, microUsd, tokens, month };
    journal.write(scheduleWrite({ op: "tick.end", schedule: entry.row.key, ...end }));
    if (tick !== undefined) {
      entry.open.delete(id);
      const { row } = entry;
      const isLater = month > row.month;
      entry.row = {
        ...row,
        failures: isFailure ? row.failures + 1 : 0,
        month: Math.max(month, row.month),
        monthMicroUsd: (isLater ? 0 : row.monthMicroUsd) + (month < row.month ? 0 : microUsd),
        monthTokens: (isLater ? 0 : row.monthTokens) + (month < row.month ? 0 : tokens),
      };
    }
    if (isFailure)
      await this.#pauseIfFailing(entry, process?.error?.message ?? `${pid} was ${state}`);
    await this.goOn(entry);
  }

  async #pauseIfFailing(entry: ScheduleEntry, last: string): Promise<void> {
    const { failures, paused } = entry.row;
    if (failures < entry.schedule.pauseAfter || paused !== null) return;
    await this.#parts.pause(entry, `${failures} failures in a row, the last: ${last}`);
  }

  async #replace(entry: ScheduleEntry): Promise<void> {
    const { store, router, trouble } = this.#parts;
    const cause = `schedule ${entry.row.name}`;
    for (const { pid } of running(entry)) {
      const process = await store.process(pid!);
      if (process === undefined || process.endedAt !== null) continue;
      await router.signal(process, "SIGTERM", cause);
      const kill = async () => {
        const late = await store.process(pid!);
        if (late !== undefined && late.endedAt === null)
          await router.signal(late, "SIGKILL", cause);
      };
      setTimeout(() => {
        kill().catch((error: unknown) => trouble(`${pid} could not be ended`, error));
      }, REPLACED_WITHIN_MS).unref();
    }
  }

  #rowOf(
    entry: ScheduleEntry,
    { id, nominal, dueAt, given = null }: TickPlan,
    outcome: TickRow["outcome"],
    reason: string | null = null,
  ): TickRow {
    return {
      schedule: entry.row.key,
      id,
      tenant: entry.row.tenant,
      nominal,
      dueAt,
      at: this.#parts.platform.now(),
      outcome,
      reason,
      pid: null,
      process: null,
      state: null,
      exitCode: null,
      endedAt: null,
      reservedMicroUsd: 0,
      reservedTokens: 0,
      microUsd: 0,
      tokens: 0,
      given,
    };
  }

  #put(entry: ScheduleEntry, row: TickRow, wasQueued = false, more: TickNote = {}): void {
    this.#parts.journal.write(...this.#writesOf(entry, row, wasQueued, undefined, more));
  }

  /** In memory at once; what is refused is read again (SCHEDULE-RUNS-2). */
  #writesOf(
    entry: ScheduleEntry,
    given: TickRow,
    wasQueued: boolean,
    birth?: ProcessKey,
    more: TickNote = {},
  ): Write[] {
    const { key, revision } = entry.row;
    const row = given.outcome === "queued" ? given : withoutEvent(given);
    this.counts[row.outcome] += 1;
    if (row.outcome === "queued" || row.outcome === "started") entry.open.set(row.id, row);
    else entry.open.delete(row.id);
    const { isOverlap, ...counted } = more;
    const skips =
      isOverlap === true ? entry.row.skips + 1 : row.outcome === "started" ? 0 : undefined;
    if (skips === WARN_AFTER_SKIPS)
      this.#parts.trouble(
        `the schedule ${entry.row.name} has skipped ${skips} ticks in a row`,
        new SysError("EAGAIN", row.reason!),
      );
    const isTime = !row.id.startsWith("manual:");
    const cursor = isTime ? Math.max(entry.row.cursor, row.nominal) : entry.row.cursor;
    const { seen = entry.row.seen ?? null } = more;
    entry.row = { ...entry.row, cursor, seen, ...(skips === undefined ? {} : { skips }) };
    const change: TickWrite = {
      op: "tick.put",
      row,
      wasQueued,
      revision,
      ...(birth === undefined ? {} : { birth }),
      ...(skips === undefined ? {} : { skips }),
      ...counted,
    };
    const passed = isTime ? [scheduleWrite({ op: "schedule.pass", key, cursor })] : [];
    return [scheduleWrite(change), ...passed];
  }

  async prune(entry: ScheduleEntry, ticks: number): Promise<void> {
    entry.unpruned += ticks;
    if (entry.unpruned < PRUNE_EVERY) return;
    entry.unpruned = 0;
    const { store, journal, platform } = this.#parts;
    await journal.durable();
    const { key: schedule } = entry.row;
    const last = await store.tickTime(schedule, TICKS_KEPT);
    if (last === undefined) return;
    const isClock = entry.schedule.on === undefined;
    const before = isClock ? last : Math.min(last, platform.now() - EVENTS_KEPT_MS);
    journal.write(scheduleWrite({ op: "tick.prune", schedule, before }));
  }
}
