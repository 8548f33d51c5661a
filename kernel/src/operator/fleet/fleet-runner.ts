// FleetRunner: looks after the fleets of this node: which are its own, how many replicas each has, and when it is
// looked at.
//
//   recover()    before processes are loaded: takes over fleets, and counts what the host's death interrupted
//   begin()      begins items from here on
//   ended(key)   a process has ended
//   inTurn(…)    a change of a fleet, between two looks
//
// FLEET-RUNNER-1  One node looks after a fleet: it alone scales it, begins its items and judges its rolls. Another takes
//     over once that one's lease has run out.
// FLEET-RUNNER-2  A host that dies while an item runs counts as an attempt at it, before its process is loaded again.
// FLEET-RUNNER-3  What is done to one fleet is done in order, one thing after the other.

import { AsyncLocalStorage } from "node:async_hooks";
import { SysError } from "@aos/protocol";
import type { FleetProof } from "../../audit/fleet-proof.ts";
import { isPoisonous } from "../../fleet/attempt-rule.ts";
import { rollVerdict, type RollVerdict } from "../../fleet/roll-verdict.ts";
import { neededReplicas, wantedReplicas } from "../../fleet/wanted-replicas.ts";
import type { Journal } from "../../journal/journal.ts";
import { MAX_TIMER_MS, type Platform } from "../../platform/clock.ts";
import type { FleetCounts } from "../../store/fleet-reads.ts";
import { fleetWrite, type FleetItemRow, type FleetRow } from "../../store/fleet-rows.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { ProcessKey } from "../../store/rows.ts";
import type { MessageRouter } from "../message-router.ts";
import { eventWrite } from "./fleet-events.ts";
import type { FleetQueue } from "./fleet-queue.ts";
import {
  affordableRuns,
  fleetEntry,
  fleetOfVersion,
  monthOf,
  scaleOf,
  type FleetEntry,
} from "./fleet-spec.ts";
import type { FleetAttempts } from "./fleet-attempts.ts";

/** Runs of the stable version that a new one is compared with. */
export const RUNS_COMPARED = 400;
const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;
/** With nothing to do, and nothing that others could send without being noticed. */
const IDLE_LOOKS = 30;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly node: string;
  readonly leaseMs: number;
  readonly lookMs: number;
  readonly work: FleetAttempts;
  readonly inbox: FleetQueue;
  readonly proof: FleetProof;
  readonly router: Pick<MessageRouter, "signalTo">;
  /** What the runs of a new version say about it. */
  readonly conclude: (
    entry: FleetEntry,
    decision: "promote" | "rollback",
    why: string,
  ) => Promise<void>;
  readonly trouble: (what: string, error: unknown) => void;
}

export class FleetRunner {
  readonly #parts: Parts;
  /** Of nobody who asked for something: what is done later is not in a caller's name. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #entries = new Map<number, FleetEntry>();
  #timer: NodeJS.Timeout | undefined;
  #claims: NodeJS.Timeout | undefined;
  #isOpen = false;
  readonly #under = new Set<Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** FLEET-RUNNER-2. */
  async recover(): Promise<void> {
    await this.claim();
  }

  begin(): void {
    this.#isOpen = true;
    if (this.#parts.store.kind === "postgres") {
      this.#claims = setInterval(
        () => this.#quietly("fleets could not be taken over", () => this.claim()),
        this.#parts.leaseMs / 3,
      );
      this.#claims.unref();
    }
    this.#look();
  }

  close(): void {
    const { journal } = this.#parts;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    clearInterval(this.#claims);
    if (!wasOpen || journal.failure !== undefined) return;
    for (const key of this.#entries.keys())
      journal.write(fleetWrite({ op: "fleet.tend", key, isTended: false }));
  }

  async atRest(): Promise<void> {
    await Promise.allSettled(this.#under);
  }

  problemOf(key: number): string | undefined {
    return this.#entries.get(key)?.problem;
  }

  limitOf(key: number): string | null {
    return this.#entries.get(key)?.limitedBy ?? null;
  }

  /** FLEET-RUNNER-1. Takes those of nodes that are gone. */
  async claim(): Promise<void> {
    const { store, node, platform, proof, journal } = this.#parts;
    await journal.durable();
    const rows = await store.claimFleets(node, platform.now());
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
    const fresh = rows.filter((row) => this.#entries.get(row.key)?.row.revision !== row.revision);
    if (fresh.length === 0) return;
    const problems = await proof.problemsOf(fresh);
    for (const row of fresh) {
      if (!this.#entries.has(row.key)) await this.#takeOver(row);
      await this.adopt(row, problems.get(row.key));
    }
  }

  /** Who looked after it has died, unless its row says otherwise. */
  async #takeOver(row: FleetRow): Promise<void> {
    const { journal, store, platform, router } = this.#parts;
    const { key } = row;
    for (const { process } of await store.runningItems(key))
      this.#parts.work.runs.set(process!, key);
    if (!row.isTended) {
      journal.write(fleetWrite({ op: "fleet.tend", key, isTended: true }));
      return journal.durable();
    }
    journal.write(fleetWrite({ op: "item.crash", fleet: key, at: platform.now() }));
    await journal.durable();
    const entry = fleetEntry(row, "");
    for (const item of await store.runningItems(key)) {
      const { restart } = fleetOfVersion(entry, item.version ?? entry.spec.stable);
      const process = isPoisonous(restart, item) ? await store.process(item.pid!) : undefined;
      if (process === undefined || process.endedAt !== null) continue;
      // Its process finds this when it is loaded.
      const { writes } = await router.signalTo(process, "SIGKILL", `fleet ${row.name}`);
      journal.write(...writes);
    }
    await journal.durable();
  }

  /** From now on as in this row. */
  async adopt(row: FleetRow, problem?: string): Promise<FleetEntry> {
    const { store, trouble } = this.#parts;
    const before = this.#entries.get(row.key);
    const entry = fleetEntry(row, await store.tenantName(row.tenant));
    entry.problem = problem;
    if (problem !== undefined)
      trouble(`the fleet ${row.name} begins nothing`, new SysError("EPOLICY", problem));
    if (before !== undefined) {
      entry.turn = before.turn;
      entry.idleSince = before.idleSince;
    }
    if (row.node === this.#parts.node) this.#entries.set(row.key, entry);
    this.#wake();
    return entry;
  }

  forget(key: number): void {
    this.#entries.delete(key);
  }

  async inTurn<T>(row: FleetRow, work: (entry: FleetEntry) => Promise<T>): Promise<T> {
    let entry = this.#entries.get(row.key);
    if (entry === undefined || entry.row.revision !== row.revision) {
      const problem = (await this.#parts.proof.problemsOf([row])).get(row.key);
      entry = await this.adopt(row, problem);
    }
    return this.#enter(entry, work);
  }

  /** An item has come, or something else that is to be looked at. */
  nudge(key: number | undefined): void {
    const entry = key === undefined ? undefined : this.#entries.get(key);
    if (entry === undefined) return;
    entry.nextAt = 0;
    entry.isNudged = true;
    this.#wake();
  }

  ended(key: ProcessKey): void {
    this.nudge(this.#parts.work.runs.get(key));
  }

  onBacklog(durable: number): void {
    for (const entry of this.#entries.values())
      if (entry.durable === durable) this.nudge(entry.row.key);
  }

  #enter<T>(entry: FleetEntry, work: (entry: FleetEntry) => Promise<T>): Promise<T> {
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

  #wake(): void {
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    const { platform, lookMs } = this.#parts;
    let next = Infinity;
    for (const { nextAt } of this.#entries.values()) next = Math.min(next, nextAt);
    if (next === Infinity && this.#entries.size === 0) return;
    const inMs = Math.max(0, Math.min(next - platform.now(), lookMs, MAX_TIMER_MS));
    this.#timer = this.#outside(setTimeout, () => this.#look(), inMs);
    this.#timer.unref();
  }

  #look(): void {
    const now = this.#parts.platform.now();
    for (const entry of this.#entries.values()) {
      if (entry.nextAt > now) continue;
      entry.nextAt = Infinity; // until it is known
      entry.isNudged = false;
      this.#quietly(`the fleet ${entry.row.name} could not be looked at`, async () => {
        try {
          await this.#enter(entry, (present) => this.#advance(present));
        } catch (error) {
          const present = this.#entries.get(entry.row.key);
          if (present !== undefined) present.nextAt = now + 1000;
          throw error;
        } finally {
          this.#wake();
        }
      });
    }
    this.#wake();
  }

  async #advance(given: FleetEntry): Promise<void> {
    const { store, journal, work, inbox } = this.#parts;
    if (!this.#isOpen) return;
    await journal.durable();
    let entry = await this.#refreshed(given);
    if (entry === undefined) return;
    const { key } = entry.row;
    for (const item of await store.endedItems(key)) await work.settle(entry, item);
    await journal.durable();
    if (entry.problem === undefined) {
      await this.#judge(entry);
      entry = this.#entries.get(key);
      if (entry === undefined) return;
      const { waiting } = await store.fleetCounts(key);
      if (await inbox.takeMessages(entry, waiting)) entry.isNudged = true;
      const counts = await store.fleetCounts(key);
      const running = await store.runningItems(key);
      await work.stopPoisonous(entry, running);
      this.#scale(entry, counts);
      if (entry.row.paused === null && entry.row.draining === null) await work.fill(entry, running);
      this.#sayDrained(entry, running);
      this.#prune(entry);
    }
    await this.#plan(entry);
  }

  /** As its row is now: another node may have changed it, and what it has spent is counted there. */
  async #refreshed(entry: FleetEntry): Promise<FleetEntry | undefined> {
    const { store, node, proof } = this.#parts;
    const row = await store.fleetByKey(entry.row.key);
    if (row === undefined || row.node !== node) {
      this.forget(entry.row.key);
      return undefined;
    }
    if (row.revision !== entry.row.revision)
      return this.adopt(row, (await proof.problemsOf([row])).get(row.key));
    entry.row = row;
    return entry;
  }

  async verdictOf(entry: FleetEntry): Promise<RollVerdict & { readonly runs: number }> {
    const { store } = this.#parts;
    const { roll, stable } = entry.spec;
    const of = { fleet: entry.row.key };
    const { to, rule } = roll!;
    const canary = await store.fleetRuns({ ...of, version: to, isFirst: true, limit: rule.sample });
    const before = await store.fleetRuns({ ...of, version: stable, limit: RUNS_COMPARED });
    return { ...rollVerdict(rule, canary, before), runs: canary.length };
  }

  async #judge(entry: FleetEntry): Promise<void> {
    const { roll } = entry.spec;
    if (roll === null || roll.isPaused) return;
    const { verdict, reason } = await this.verdictOf(entry);
    if (verdict === "hold") return;
    await this.#parts.conclude(entry, verdict === "back" ? "rollback" : "promote", reason);
  }

  #scale(entry: FleetEntry, counts: FleetCounts): void {
    const { platform, journal } = this.#parts;
    const { row } = entry;
    const now = platform.now();
    const rule = scaleOf(entry);
    const queue = {
      unfinished: counts.waiting + counts.running,
      oldestMs: counts.oldestAt === null ? 0 : now - counts.oldestAt,
    };
    const affordable = affordableRuns(entry, monthOf(now));
    const state = { replicas: row.replicas, sinceScaledMs: now - row.scaledAt, affordable };
    const needed = neededReplicas(rule, queue, state);
    entry.idleSince = needed < row.replicas ? (entry.idleSince ?? now) : null;
    const idleMs = entry.idleSince === null ? 0 : now - entry.idleSince;
    const replicas = wantedReplicas(rule, queue, { ...state, idleMs });
    if (replicas === row.replicas) return;
    const detail = `${row.replicas} to ${replicas}: ${counts.waiting} wait, ${counts.running} run`;
    journal.write(
      fleetWrite({ op: "fleet.scale", key: row.key, replicas, at: now }),
      eventWrite(platform, row, { what: "scaled", by: "kernel", detail }),
    );
    entry.row = { ...row, replicas, scaledAt: now };
    entry.idleSince = null;
    entry.isNudged = true;
  }

  #sayDrained({ row }: FleetEntry, running: readonly FleetItemRow[]): void {
    if (row.draining === null || running.length > 0) return;
    const { journal, platform } = this.#parts;
    const detail = "nothing runs any more";
    const once = { what: "drained", by: "kernel", detail, id: `drained-${row.revision}` } as const;
    journal.write(eventWrite(platform, row, once));
  }

  #prune(entry: FleetEntry): void {
    const { journal, platform } = this.#parts;
    const now = platform.now();
    if (now - entry.prunedAt < PRUNE_EVERY_MS) return;
    entry.prunedAt = now;
    const { key } = entry.row;
    journal.write(fleetWrite({ op: "fleet.prune", key, before: now - KEPT_MS }));
  }

  async #plan(entry: FleetEntry): Promise<void> {
    const { store, platform, lookMs, journal } = this.#parts;
    if (entry.isNudged) {
      entry.nextAt = 0;
      return this.#wake();
    }
    await journal.durable();
    const now = platform.now();
    const { waiting, running } = await store.fleetCounts(entry.row.key);
    const isOthers = store.kind === "postgres" || entry.fleet.topic !== undefined;
    const isBusy = waiting + running > 0 || isOthers || entry.idleSince !== null;
    entry.nextAt = entry.isNudged ? 0 : now + lookMs * (isBusy ? 1 : IDLE_LOOKS);
    this.#wake();
  }
}
