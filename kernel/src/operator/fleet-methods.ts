// The kernel's methods about fleets.

import {
  DEFAULT_TENANT,
  SysError,
  type FleetEventReport,
  type FleetItemReport,
  type FleetReport,
  type ItemState,
  type Json,
  type Label,
} from "@aos/protocol";
import { CLEAN } from "../label/label.ts";
import { fleetWrite, type FleetItemRow, type FleetRow } from "../store/fleet-rows.ts";
import { eventReport, fleetReport, itemReport } from "./fleet/fleet-report.ts";
import { RUNS_COMPARED } from "./fleet/fleet-runner.ts";
import { fleetEntry, type FleetSource } from "./fleet/fleet-spec.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

const LAST_RUNS = 100;

interface OfTenant {
  readonly tenant?: string;
}

interface ByPerson extends OfTenant {
  readonly by: string;
}

export interface FleetRequest extends ByPerson {
  /** As `kind: Fleet` has it. */
  readonly fleet: unknown;
  readonly source?: FleetSource;
  readonly mustBeNew?: boolean;
}

interface Page extends OfTenant {
  readonly before?: string;
  readonly limit?: number;
}

export interface FleetMethods {
  fleets(filter?: OfTenant): Promise<FleetReport[]>;
  fleet(name: string, of?: OfTenant): Promise<FleetReport>;
  /** Creates it, or changes all of it but its agent. */
  applyFleet(text: FleetRequest): Promise<FleetReport>;
  scaleFleet(name: string, how: ByPerson & { min?: number; max?: number }): Promise<FleetReport>;
  /** To another version of its agent. */
  rollFleet(name: string, text: FleetRequest): Promise<FleetReport>;
  decideFleetRoll(
    name: string,
    how: ByPerson & { decision: "promote" | "rollback" | "pause" | "resume" },
  ): Promise<FleetReport>;
  pauseFleet(name: string, how: ByPerson & { reason?: string }): Promise<FleetReport>;
  drainFleet(name: string, how: ByPerson & { reason?: string }): Promise<FleetReport>;
  resumeFleet(name: string, how: ByPerson): Promise<FleetReport>;
  /** `force` says what becomes of items that are not finished. */
  removeFleet(
    name: string,
    how: ByPerson & { force?: "discard" | "stop" },
  ): Promise<{ discarded: number; stopped: number }>;
  /** The same key is one item, however often it is sent. */
  sendFleetItem(
    name: string,
    item: ByPerson & { input: Json; key?: string; label?: Label },
  ): Promise<FleetItemReport>;
  /** The newest first. */
  fleetItems(name: string, page?: Page & { state?: ItemState }): Promise<FleetItemReport[]>;
  fleetItem(name: string, of: OfTenant & { item: string }): Promise<FleetItemReport>;
  /** A dead item again, with all its attempts. */
  retryFleetItem(name: string, how: ByPerson & { item: string }): Promise<FleetItemReport>;
  /** The newest first. */
  fleetEvents(name: string, page?: Page): Promise<FleetEventReport[]>;
}

export const fleetReach = {
  fleets: { scope: 0 },
  fleet: { scope: 1 },
  applyFleet: { scope: 0 },
  scaleFleet: { scope: 1 },
  rollFleet: { scope: 1 },
  decideFleetRoll: { scope: 1 },
  pauseFleet: { scope: 1 },
  drainFleet: { scope: 1 },
  resumeFleet: { scope: 1 },
  removeFleet: { scope: 1 },
  sendFleetItem: { scope: 1 },
  fleetItems: { scope: 1 },
  fleetItem: { scope: 1 },
  retryFleetItem: { scope: 1 },
  fleetEvents: { scope: 1 },
} as const satisfies Record<keyof FleetMethods, MethodReach>;

export function fleetMethods(parts: KernelParts, open: OpenKernel): FleetMethods {
  const { store, journal, platform, tenants, fleetProof, ledger } = parts;
  const { runner, registry, inbox } = parts.fleets;
  const of = ({ tenant = DEFAULT_TENANT, by }: ByPerson) => ({ tenant, by });

  const reportOf = async (row: FleetRow, problem: string | undefined): Promise<FleetReport> => {
    const { key } = row;
    const entry = fleetEntry(row, await store.tenantName(row.tenant));
    const ofVersion = new Map();
    for (const { number } of entry.spec.versions)
      ofVersion.set(
        number,
        await store.fleetRuns({ fleet: key, version: number, limit: RUNS_COMPARED }),
      );
    return fleetReport(entry, {
      counts: await store.fleetCounts(key),
      running: await store.runningItems(key),
      last: await store.fleetRuns({ fleet: key, limit: LAST_RUNS }),
      ofVersion,
      verdict: entry.spec.roll === null ? undefined : await runner.verdictOf(entry),
      problem: problem ?? runner.problemOf(key),
      limitedBy: runner.limitOf(key),
      now: platform.now(),
    });
  };
  const report = async (row: FleetRow): Promise<FleetReport> => {
    await journal.durable();
    const now = (await store.fleetByKey(row.key)) ?? row;
    return reportOf(now, (await fleetProof.problemsOf([now])).get(now.key));
  };
  const itemOf = async (row: FleetRow, item: FleetItemRow): Promise<FleetItemReport> => {
    const run =
      item.state === "done" && item.pid !== null ? await store.process(item.pid) : undefined;
    return itemReport(item, row.name, (run?.output ?? null) as Json);
  };
  const itemAt = async (row: FleetRow, id: string): Promise<FleetItemRow> => {
    const item = await store.fleetItem(row.key, id);
    if (item !== undefined) return item;
    throw new SysError("ENOENT", `unknown item ${id} of the fleet ${row.name}`, {
      hint: `\`aos fleet items ${row.name}\` lists them`,
    });
  };

  return {
    async fleets({ tenant } = {}) {
      open.mustBeOpen();
      await journal.durable();
      const key = tenant === undefined ? undefined : await tenants.keyOf(tenant);
      const rows = await store.fleets(key);
      const problems = await fleetProof.problemsOf(rows);
      const reports: FleetReport[] = [];
      for (const row of rows) reports.push(await reportOf(row, problems.get(row.key)));
      return reports;
    },
    async fleet(name, { tenant = DEFAULT_TENANT } = {}) {
      open.mustBeOpen();
      return report(await registry.find(name, tenant));
    },
    async applyFleet({ mustBeNew = false, ...text }) {
      open.mustBeOpen();
      return report(await registry.apply({ ...text, ...of(text) }, mustBeNew));
    },
    async scaleFleet(name, { min, max, ...how }) {
      open.mustBeOpen();
      if (min === undefined && max === undefined)
        throw new SysError("EINVAL", "nothing to scale: pass min, max or both");
      const bounds = {
        ...(min === undefined ? {} : { min }),
        ...(max === undefined ? {} : { max }),
      };
      return report(await registry.scale(name, of(how), bounds));
    },
    async rollFleet(name, text) {
      open.mustBeOpen();
      return report(await registry.roll(name, { ...text, ...of(text) }));
    },
    async decideFleetRoll(name, how) {
      open.mustBeOpen();
      return report(await registry.decide(name, of(how), how.decision));
    },
    async pauseFleet(name, how) {
      open.mustBeOpen();
      return report(await registry.pause(name, of(how), how.reason));
    },
    async drainFleet(name, how) {
      open.mustBeOpen();
      return report(await registry.drain(name, of(how), how.reason));
    },
    async resumeFleet(name, how) {
      open.mustBeOpen();
      return report(await registry.resume(name, of(how)));
    },
    async removeFleet(name, how) {
      open.mustBeOpen();
      return registry.remove(name, of(how), how.force);
    },
    async sendFleetItem(name, { input, key, label = CLEAN, ...how }) {
      open.mustBeOpen();
      const { tenant, by } = of(how);
      const row = await registry.find(name, tenant);
      const item = await inbox.send(row, tenant, { input, key, label, by });
      runner.nudge(row.key);
      return itemOf(row, item);
    },
    async fleetItems(name, { tenant = DEFAULT_TENANT, before, limit = 100, state } = {}) {
      open.mustBeOpen();
      const row = await registry.find(name, tenant);
      const from = before === undefined ? undefined : await itemAt(row, before);
      const after = from === undefined ? {} : { before: { at: from.sentAt, id: from.id } };
      const filter = state === undefined ? {} : { state };
      const items = await store.fleetItems({ fleet: row.key, limit, ...after, ...filter });
      return Promise.all(items.map((item) => itemOf(row, item)));
    },
    async fleetItem(name, { tenant = DEFAULT_TENANT, item }) {
      open.mustBeOpen();
      const row = await registry.find(name, tenant);
      return itemOf(row, await itemAt(row, item));
    },
    async retryFleetItem(name, { item: id, ...how }) {
      open.mustBeOpen();
      const { tenant, by } = of(how);
      const row = await registry.find(name, tenant);
      const item = await itemAt(row, id);
      if (item.state !== "dead")
        throw new SysError("ESTATE", `the item ${id} is ${item.state}, and not dead`);
      if (row.draining !== null)
        throw new SysError("ESTATE", `the fleet ${name} is drained and takes no items`);
      const detail = { fleet: name, tenant, item: id };
      journal.write(fleetWrite({ op: "item.retry", fleet: row.key, id, at: platform.now() }));
      ledger.add({ what: "fleet.retry", by, detail, tenant: row.tenant });
      await journal.durable();
      runner.nudge(row.key);
      return itemOf(row, await itemAt(row, id));
    },
    async fleetEvents(name, { tenant = DEFAULT_TENANT, before, limit = 100 } = {}) {
      open.mustBeOpen();
      const row = await registry.find(name, tenant);
      const from = before === undefined ? undefined : await store.fleetEvent(row.key, before);
      if (before !== undefined && from === undefined)
        throw new SysError("ENOENT", `unknown event ${before} of the fleet ${name}`);
      const after = from === undefined ? {} : { before: { at: from.at, id: from.id } };
      const rows = await store.fleetEvents({ fleet: row.key, limit, ...after });
      return rows.map((event) => eventReport(event, name));
    },
  };
}
