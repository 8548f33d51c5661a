// EventSources: the events that the kernel finds itself: messages of topics, runs that have ended, changed files.
// Webhooks are brought to it (ScheduleMethods.fireSchedule).
//
// EVENT-SOURCES-1  An event is in the store until the commit that has its tick: whatever is killed when, it starts one
//     run. The tick of an event has its id, so what is found twice is decided once.
// EVENT-SOURCES-2  While a schedule takes nothing (its queue is full, or it has started `perHour` runs) events stay
//     where they are.
// EVENT-SOURCES-3  Starts that lead to one another are counted along runs and the messages of their trees.

import { endStates, type Json, type ListFolder, type Trigger } from "@aos/protocol";
import type { Journal } from "../../journal/journal.ts";
import type { Platform } from "../../platform/clock.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { MessageRow, ProcessKey } from "../../store/rows.ts";
import { scheduleWrite } from "../../store/schedule-rows.ts";
import { FolderSource } from "./folder-source.ts";
import { running, waiting, type ScheduleEntry } from "./schedule-entry.ts";
import { depthOf, insideLabel, type ScheduleEvent } from "./schedule-event.ts";

const HOUR_MS = 3_600_000;
/** Ends that other nodes, whose clocks may be behind, have not committed yet when later ones are seen. */
const END_MARGIN_MS = 60_000;
const PAGE = 100;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Pick<Journal, "write">;
  readonly platform: Platform;
  readonly listFolder: ListFolder | undefined;
  readonly trouble: (what: string, error: unknown) => void;
}

/** Whose durable subscription a schedule's is: no agent has such a name. */
export const subscriberOf = (name: string): string => `schedule:${name}`;
export const SUBSCRIPTION = "trigger";

export class EventSources {
  readonly #parts: Parts;
  /** By the durable subscription that it has: which schedule is to be looked at. */
  readonly #topics = new Map<number, number>();

  readonly #folders: FolderSource;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#folders = new FolderSource(parts);
  }

  /** Which schedule takes what came by this durable subscription, as far as this node knows. */
  scheduleOf(durable: number): number | undefined {
    return this.#topics.get(durable);
  }

  /** EVENT-SOURCES-2. For how long it takes nothing; 0 where it takes some. */
  async restMs(entry: ScheduleEntry): Promise<number> {
    const { schedule, row } = entry;
    if (row.paused !== null) return 0; // each gets its record
    const { overlap, queue, perHour } = schedule;
    if (overlap === "queue" && running(entry).length > 0 && waiting(entry).length >= queue)
      return 1000;
    const now = this.#parts.platform.now();
    const starts = await this.#parts.store.startsSince(row.key, now - HOUR_MS);
    return starts >= perHour ? 60_000 : 0;
  }

  /** The next events of it, the oldest first. */
  async next(entry: ScheduleEntry): Promise<readonly ScheduleEvent[]> {
    const { on } = entry.schedule;
    if (on?.topic !== undefined) return this.#messages(entry);
    if (on?.files !== undefined) return this.#folders.next(entry, on.files);
    return on?.run === undefined ? [] : this.#ends(entry, on.run);
  }

  /** Nothing is left: ends before now are not looked through again. */
  pass(entry: ScheduleEntry): void {
    const { key, cursor: before } = entry.row;
    const cursor = this.#parts.platform.now();
    if (entry.schedule.on?.run === undefined || cursor - before < 2 * END_MARGIN_MS) return;
    this.#parts.journal.write(scheduleWrite({ op: "schedule.pass", key, cursor }));
    entry.row = { ...entry.row, cursor };
  }

  async #messages(entry: ScheduleEntry): Promise<ScheduleEvent[]> {
    const { store, platform } = this.#parts;
    const { tenant, name, key } = entry.row;
    const durable = await store.durableSubscription(tenant, subscriberOf(name), SUBSCRIPTION);
    if (durable === undefined) return [];
    this.#topics.set(durable.key, key);
    const now = platform.now();
    const backlog = await store.backlog(durable.key, PAGE);
    const lasting = backlog.filter(({ expiresAt = null }) => expiresAt === null || expiresAt > now);
    return Promise.all(lasting.map((message) => this.#ofMessage(entry, message)));
  }

  async #ofMessage(entry: ScheduleEntry, message: MessageRow): Promise<ScheduleEvent> {
    const { id, topic, from, body, label, key } = message;
    return {
      id: `topic:${id}`,
      event: { id, topic, from, body: JSON.parse(body) as Json },
      label: insideLabel(entry, label),
      depth: await this.#depthOfSender(from),
      took: key,
    };
  }

  /** EVENT-SOURCES-3. */
  async #depthOfSender(from: string): Promise<number> {
    const sender = await this.#parts.store.process(from);
    return sender === undefined ? 0 : this.#depthOfRun(sender.root);
  }

  async #depthOfRun(root: ProcessKey): Promise<number> {
    const tick = await this.#parts.store.tickOfRun(root);
    return tick === undefined ? 0 : depthOf(tick) + 1;
  }

  async #ends(
    entry: ScheduleEntry,
    { agent, states = [...endStates] }: NonNullable<Trigger["run"]>,
  ): Promise<ScheduleEvent[]> {
    const { store } = this.#parts;
    const { key, tenant, cursor, createdAt } = entry.row;
    const since = Math.max(cursor - END_MARGIN_MS, createdAt);
    const of = { schedule: key, tenant, agent, states, since, limit: PAGE };
    const found = await store.endedRuns(of);
    const events: ScheduleEvent[] = [];
    for (const { pid, key: ended, endedAt } of found) {
      const run = await store.process(pid);
      if (run === undefined) continue;
      const { state, exitCode, output, error, label } = run;
      events.push({
        id: `run:${pid}`,
        event: { pid, agent, state, exitCode, output, error: error as unknown as Json },
        label: insideLabel(entry, label),
        depth: await this.#depthOfRun(ended),
        at: endedAt,
      });
    }
    return events;
  }
}
