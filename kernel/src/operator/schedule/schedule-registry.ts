// ScheduleRegistry: what people do to schedules.
//
// SCHEDULE-REGISTRY-1  A schedule has the power that the manifest of its agent has when a person writes it, or what the
//     person leaves of that. What the agent is given later is not its own until a person writes the schedule again.
// SCHEDULE-REGISTRY-2  The row and its entry in the ledger are one commit.
// SCHEDULE-REGISTRY-3  What can never happen is refused when it is written: a calendar without a time, or an unknown
//     agent.
// SCHEDULE-REGISTRY-4  A schedule that a topic starts has a durable subscription, made, changed and dropped in the same
//     commit. Of another topic than before nothing is left in it.

import { DEFAULT_TENANT, isTopicPattern, SysError } from "@aos/protocol";
import { scheduleDetail } from "../../audit/schedule-proof.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Ledger } from "../../journal/ledger.ts";
import { readLabel } from "../../label/label.ts";
import type { Platform } from "../../platform/clock.ts";
import type { BlockRegistry } from "../../process/blocks.ts";
import { readCapabilities } from "../../process/process-factory.ts";
import { readManifest, type Programs } from "../../process/programs.ts";
import type { RowKeys } from "../../process/row-keys.ts";
import { calendarOf, monthAt } from "../../schedule/calendar.ts";
import type { Write } from "../../store/contract.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { TenantKey } from "../../store/rows.ts";
import { scheduleWrite, type ScheduleRow } from "../../store/schedule-rows.ts";
import type { TenantRegistry } from "../tenant-registry.ts";
import { subscriberOf, SUBSCRIPTION } from "./event-sources.ts";
import {
  readSchedule,
  type ScheduleEntry,
  type ScheduleGrants,
  type ScheduleSource,
  type WrittenSchedule,
} from "./schedule-entry.ts";
import type { ScheduleRunner } from "./schedule-runner.ts";

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly platform: Platform;
  readonly node: string;
  readonly keys: RowKeys;
  readonly programs: Programs;
  readonly blocks: Pick<BlockRegistry, "ceilingOf">;
  readonly tenants: Pick<TenantRegistry, "keyOf">;
  readonly runner: ScheduleRunner;
  readonly trouble: (what: string, error: unknown) => void;
}

export interface ScheduleDraft {
  /** As it was written. */
  readonly schedule: unknown;
  readonly source?: ScheduleSource;
  readonly tenant: string;
  readonly by: string;
}

/** `isAnew`: its times are others, and those that have passed are none of them. */
type ChangeTerms = Partial<Pick<ScheduleRow, "failures" | "skips">> & { readonly isAnew?: boolean };

type Changed = Pick<ScheduleRow, "spec" | "grants" | "paused">;

export class ScheduleRegistry {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async create(writing: ScheduleDraft): Promise<ScheduleRow> {
    const { store, keys, node, platform, runner } = this.#parts;
    const { tenant, schedule, changed } = await this.#read(writing);
    const { name } = schedule;
    await this.#parts.journal.durable();
    if ((await store.schedule(tenant, name)) !== undefined) throw exists(name);
    const now = platform.now();
    const cursor = platform.wall();
    const row: ScheduleRow = {
      key: await keys.take(),
      tenant,
      name,
      node,
      revision: 1,
      ...changed,
      cursor,
      failures: 0,
      skips: 0,
      month: monthAt(schedule.timeZone ?? "UTC", cursor),
      monthMicroUsd: 0,
      monthTokens: 0,
      createdAt: now,
      updatedAt: now,
    };
    await this.#write(row, 0, writing);
    await runner.adopt(row);
    return row;
  }

  async edit(name: string, writing: ScheduleDraft): Promise<ScheduleRow> {
    const { changed, schedule } = await this.#read(writing);
    if (schedule.name !== name)
      throw new SysError("EINVAL", `the schedule is ${schedule.name}, and not ${name}`, {
        hint: "a schedule keeps its name",
      });
    const change = (row: ScheduleRow): Changed => ({
      ...changed,
      paused: schedule.paused === undefined ? row.paused : changed.paused,
    });
    return this.#change(name, writing, change, { isAnew: true });
  }

  pause(name: string, of: { tenant: string; by: string }, reason?: string): Promise<ScheduleRow> {
    const said = reason === undefined ? `by ${of.by}` : `by ${of.by}: ${reason}`;
    return this.#change(name, of, ({ spec, grants }) => ({ spec, grants, paused: said }));
  }

  resume(name: string, of: { tenant: string; by: string }): Promise<ScheduleRow> {
    return this.#change(name, of, ({ spec, grants }) => ({ spec, grants, paused: null }), {
      failures: 0,
      skips: 0,
    });
  }

  async remove(name: string, { tenant, by }: { tenant: string; by: string }): Promise<void> {
    const { journal, ledger, runner } = this.#parts;
    const found = await this.find(name, tenant);
    await runner.inTurn(found, async ({ row }) => {
      const detail = { ...scheduleDetail(row, tenant) };
      const dropped = await this.#dropped(row);
      journal.write(scheduleWrite({ op: "schedule.remove", key: row.key }), ...dropped);
      ledger.add({ what: "schedule.remove", by, detail, tenant: row.tenant });
      await journal.durable();
      runner.forget(row.key);
    });
  }

  /** By the kernel, in the turn of the schedule. */
  async pauseFailing(entry: ScheduleEntry, why: string): Promise<void> {
    const { trouble } = this.#parts;
    const { row, tenantName } = entry;
    entry.row = { ...row, revision: row.revision + 1, paused: why };
    await this.#write(entry.row, row.revision, { tenant: tenantName, by: "kernel" });
    trouble(`the schedule ${row.name} is paused`, new SysError("ESTATE", why));
  }

  async find(name: string, tenant: string): Promise<ScheduleRow> {
    const key = await this.#parts.tenants.keyOf(tenant);
    await this.#parts.journal.durable();
    const row = await this.#parts.store.schedule(key, name);
    if (row !== undefined) return row;
    throw new SysError("ENOENT", `unknown schedule ${name}`, {
      hint: "`aos schedule ls` lists them",
    });
  }

  async #change(
    name: string,
    of: { readonly tenant: string; readonly by: string },
    change: (row: ScheduleRow) => Changed,
    { isAnew = false, ...also }: ChangeTerms = {},
  ): Promise<ScheduleRow> {
    const { platform, runner } = this.#parts;
    const found = await this.find(name, of.tenant);
    return runner.inTurn(found, async (entry) => {
      if (isAnew) runner.leaveOut(entry, "edited");
      const { row } = entry;
      const next: ScheduleRow = {
        ...row,
        ...change(row),
        ...also,
        revision: row.revision + 1,
        cursor: isAnew ? Math.max(row.cursor, platform.wall()) : row.cursor,
        updatedAt: platform.now(),
      };
      await this.#write(next, row.revision, of);
      entry.row = next; // for what still goes on with it
      await runner.adopt(next);
      return next;
    });
  }

  /** SCHEDULE-REGISTRY-2. */
  async #write(
    row: ScheduleRow,
    was: number,
    { tenant, by }: { readonly tenant: string; readonly by: string },
  ): Promise<void> {
    const { journal, ledger, store } = this.#parts;
    const detail = { ...scheduleDetail(row, tenant), paused: row.paused, revision: row.revision };
    const subscription = await this.#subscription(row, was);
    journal.write(scheduleWrite({ op: "schedule.put", row, was }), ...subscription);
    ledger.add({ what: "schedule.set", by, detail, tenant: row.tenant });
    await journal.durable();
    if (store.kind === "sqlite") return;
    const there = await store.schedule(row.tenant, row.name);
    if (there?.key === row.key && there.revision === row.revision && there.spec === row.spec)
      return;
    throw new SysError("ESTATE", `${row.name} was changed on another node meanwhile`, {
      hint: "read it again, then repeat the change",
    });
  }

  /** SCHEDULE-REGISTRY-4. */
  async #subscription({ tenant, name, key, spec }: ScheduleRow, was: number): Promise<Write[]> {
    const { store, keys } = this.#parts;
    const { topic } = readSchedule((JSON.parse(spec) as WrittenSchedule).schedule).on ?? {};
    const before = await store.durableSubscription(tenant, subscriberOf(name), SUBSCRIPTION);
    if (was > 0 && before?.topic === topic) return [];
    const dropped = before === undefined ? [] : [dropOf(key, before.key)];
    if (topic === undefined) return dropped;
    const durable = await keys.take();
    const isPattern = isTopicPattern(topic);
    const of = { tenant, agent: subscriberOf(name), name: SUBSCRIPTION };
    const row = { key: durable, ...of, topic, isPattern, process: -durable };
    return [...dropped, { op: "durable.put", row }];
  }

  async #dropped({ tenant, name, key }: ScheduleRow): Promise<Write[]> {
    const { store } = this.#parts;
    const before = await store.durableSubscription(tenant, subscriberOf(name), SUBSCRIPTION);
    return before === undefined ? [] : [dropOf(key, before.key)];
  }

  /** SCHEDULE-REGISTRY-1, SCHEDULE-REGISTRY-3. */
  async #read({ schedule: text, source = {}, tenant, by }: ScheduleDraft) {
    const { programs, blocks, platform, tenants } = this.#parts;
    const schedule = readSchedule(text);
    const key = await tenants.keyOf(tenant);
    const calendar = calendarOf(schedule);
    if (schedule.on === undefined && calendar.next(platform.wall()) === undefined)
      throw new SysError("EINVAL", `cron ${JSON.stringify(schedule.cron)} never happens`);
    if (schedule.on?.files !== undefined && tenant !== DEFAULT_TENANT)
      throw new SysError("EACCES", "on: files: a tenant watches no folder of this machine");
    if (schedule.label !== undefined) readLabelOf(schedule.label);
    const asked = readCapabilities(schedule.capabilities ?? []);
    const given = source.manifest ?? schedule.manifest;
    const { manifest, folder = source.folder } =
      given === undefined
        ? programs.manifestOf(schedule.agent!, asked)
        : { manifest: readManifest(given as never), folder: source.folder };
    await programs.versionOf(manifest, folder, blocks.ceilingOf(key));
    const own = readCapabilities(manifest.capabilities);
    const grants: ScheduleGrants = {
      capabilities: schedule.capabilities === undefined ? own : asked,
      givenAt: platform.now(),
      by,
    };
    const written: WrittenSchedule = { schedule: text as never, source };
    const changed: Changed = {
      spec: JSON.stringify(written),
      grants: JSON.stringify(grants),
      paused: schedule.paused === true ? `by ${by}` : null,
    };
    return { tenant: key as TenantKey, schedule, changed };
  }
}

function readLabelOf(text: string): void {
  try {
    readLabel(text);
  } catch {
    throw new SysError("EINVAL", `schedule: label: unknown label ${JSON.stringify(text)}`);
  }
}

const dropOf = (key: number, durable: number): Write =>
  scheduleWrite({ op: "backlog.drop", key, durable });

const exists = (name: string): SysError =>
  new SysError("ESTATE", `the schedule ${name} already exists`, {
    hint: `aos schedule edit ${name} changes it`,
  });
