// The kernel's methods about schedules.

import {
  DEFAULT_TENANT,
  SysError,
  type Json,
  type ScheduleReport,
  type TickReport,
  type Trigger,
} from "@aos/protocol";
import { hexOf } from "../journal/chain.ts";
import type { ScheduleRow } from "../store/schedule-rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { entryOf, type ScheduleSource } from "./schedule/schedule-entry.ts";
import { outsideLabel } from "./schedule/schedule-event.ts";
import { scheduleReport, tickReport } from "./schedule/schedule-report.ts";

interface OfTenant {
  readonly tenant?: string;
}

interface ByPerson extends OfTenant {
  readonly by: string;
}

export interface ScheduleRequest extends ByPerson {
  /** As `kind: Schedule` has it. */
  readonly schedule: unknown;
  readonly source?: ScheduleSource;
}

/** An event from outside. The same `id` is one event, however often it is brought. */
export interface ScheduleEventRequest extends OfTenant {
  readonly id: string;
  readonly event: Json;
}

export interface ScheduleMethods {
  /** How a schedule's webhook is signed, with its secret; undefined where it has none. */
  webhook(name: string, of?: OfTenant): Promise<WebhookTerms | undefined>;
  /** What came by a webhook; EAGAIN while the schedule takes nothing. */
  fireSchedule(name: string, event: ScheduleEventRequest): Promise<TickReport>;
  schedules(filter?: OfTenant): Promise<ScheduleReport[]>;
  schedule(name: string, of?: OfTenant): Promise<ScheduleReport>;
  createSchedule(text: ScheduleRequest): Promise<ScheduleReport>;
  editSchedule(name: string, text: ScheduleRequest): Promise<ScheduleReport>;
  pauseSchedule(name: string, how: ByPerson & { reason?: string }): Promise<ScheduleReport>;
  resumeSchedule(name: string, how: ByPerson): Promise<ScheduleReport>;
  removeSchedule(name: string, how: ByPerson): Promise<void>;
  /** Now, by the same rules, also while it is paused; the same key starts one run. */
  runSchedule(name: string, how: ByPerson & { key?: string }): Promise<TickReport>;
  /** What came of its ticks, the newest first. */
  scheduleTicks(
    name: string,
    page?: OfTenant & { before?: string; limit?: number },
  ): Promise<TickReport[]>;
}

export interface WebhookTerms extends Omit<NonNullable<Trigger["webhook"]>, "secret"> {
  readonly key: string;
}

export const scheduleReach = {
  webhook: "all",
  fireSchedule: "all",
  schedules: { scope: 0 },
  schedule: { scope: 1 },
  createSchedule: { scope: 0 },
  editSchedule: { scope: 1 },
  pauseSchedule: { scope: 1 },
  resumeSchedule: { scope: 1 },
  removeSchedule: { scope: 1 },
  runSchedule: { scope: 1 },
  scheduleTicks: { scope: 1 },
} as const satisfies Record<keyof ScheduleMethods, MethodReach>;

export function scheduleMethods(parts: KernelParts, open: OpenKernel): ScheduleMethods {
  const { store, journal, platform, tenants, scheduleProof } = parts;
  const { runner, runs, registry } = parts.schedules;
  const of = ({ tenant = DEFAULT_TENANT, by }: ByPerson) => ({ tenant, by });

  const reports = async (rows: readonly ScheduleRow[]): Promise<ScheduleReport[]> => {
    const problems = await scheduleProof.problemsOf(rows);
    return Promise.all(
      rows.map(async (row) => {
        const entry = entryOf(row, await store.tenantName(row.tenant));
        for (const tick of await store.openTicks(row.key)) entry.open.set(tick.id, tick);
        const [last] = await store.ticks({ schedule: row.key, limit: 1 });
        return scheduleReport(entry, problems.get(row.key), last, platform.wall());
      }),
    );
  };
  const reportOf = async (row: ScheduleRow) => {
    await journal.durable();
    return (await reports([(await store.scheduleByKey(row.key)) ?? row]))[0]!;
  };

  return {
    async webhook(name, { tenant = DEFAULT_TENANT } = {}) {
      open.mustBeOpen();
      const key = await store.findTenant(tenant);
      const row = key === undefined ? undefined : await store.schedule(key, name);
      const { on } = row === undefined ? {} : entryOf(row, tenant).schedule;
      if (on?.webhook === undefined) return undefined;
      const { secret, ...how } = on.webhook;
      const place = { kind: "service", service: `hook:${name}` } as const;
      return { ...how, key: parts.vault.reveal(tenant, secret, place) };
    },
    async fireSchedule(name, { id, event, tenant = DEFAULT_TENANT }) {
      open.mustBeOpen();
      const row = await registry.find(name, tenant);
      const tick = await runner.inTurn(row, async (entry) => {
        if (entry.schedule.on?.webhook === undefined)
          throw new SysError("ENOENT", `the schedule ${name} has no webhook`);
        const known = await store.tick(row.key, `webhook:${id}`);
        if (known !== undefined) return known;
        const retryAfter = await parts.schedules.events.restMs(entry);
        if (retryAfter > 0)
          throw new SysError("EAGAIN", `the queue of the schedule ${name} is full`, { retryAfter });
        const scrubbed = JSON.parse(parts.scrub(JSON.stringify(event))) as Json;
        const label = outsideLabel(entry);
        return runs.event(entry, { id: `webhook:${id}`, event: scrubbed, label, depth: 0 });
      });
      await journal.durable();
      return tickReport(tick, name);
    },
    async schedules({ tenant } = {}) {
      open.mustBeOpen();
      await journal.durable();
      const key = tenant === undefined ? undefined : await tenants.keyOf(tenant);
      return reports(await store.schedules(key));
    },
    async schedule(name, { tenant = DEFAULT_TENANT } = {}) {
      open.mustBeOpen();
      return reportOf(await registry.find(name, tenant));
    },
    async createSchedule(text) {
      open.mustBeOpen();
      return reportOf(await registry.create({ ...text, ...of(text) }));
    },
    async editSchedule(name, text) {
      open.mustBeOpen();
      return reportOf(await registry.edit(name, { ...text, ...of(text) }));
    },
    async pauseSchedule(name, how) {
      open.mustBeOpen();
      return reportOf(await registry.pause(name, of(how), how.reason));
    },
    async resumeSchedule(name, how) {
      open.mustBeOpen();
      return reportOf(await registry.resume(name, of(how)));
    },
    async removeSchedule(name, how) {
      open.mustBeOpen();
      await registry.remove(name, of(how));
    },
    async runSchedule(name, how) {
      open.mustBeOpen();
      const { tenant, by } = of(how);
      const row = await registry.find(name, tenant);
      const key = how.key ?? hexOf(platform.bytes(10));
      parts.ledger.add({
        what: "schedule.run",
        by,
        detail: { schedule: name, tenant, key },
        tenant: row.tenant,
      });
      const at = platform.wall();
      const tick = await runner.inTurn(row, (entry) =>
        runs.runNow(entry, { id: `manual:${key}`, nominal: at, dueAt: at }),
      );
      await journal.durable();
      if (tick.outcome === "failed")
        throw new SysError("ESTATE", tick.reason ?? "it could not be started");
      return tickReport(tick, name);
    },
    async scheduleTicks(name, { tenant = DEFAULT_TENANT, before, limit = 100 } = {}) {
      open.mustBeOpen();
      const { key } = await registry.find(name, tenant);
      const from = before === undefined ? undefined : await store.tick(key, before);
      if (before !== undefined && from === undefined)
        throw new SysError("ENOENT", `unknown tick ${before} of the schedule ${name}`);
      const rows = await store.ticks({ schedule: key, before: from, limit });
      return rows.map((row) => tickReport(row, name));
    },
  };
}
