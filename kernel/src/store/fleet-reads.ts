// Fleet reads: fleets, their items, runs and events. The same words for both databases.

import type { ItemState } from "@aos/protocol";
import type { FleetEventRow, FleetItemRow, FleetRow, FleetRunRow } from "./fleet-rows.ts";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { TenantKey } from "./rows.ts";

const fleetRow = (row: Row): FleetRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  name: textValue(row["name"]),
  node: textValue(row["node"]),
  revision: numberValue(row["revision"]),
  spec: textValue(row["spec"]),
  paused: orNull(row["paused"], String),
  draining: orNull(row["draining"], String),
  replicas: numberValue(row["replicas"]),
  scaledAt: numberValue(row["scaled_at"]),
  isTended: numberValue(row["is_tended"]) === 1,
  month: numberValue(row["month"]),
  monthMicroUsd: numberValue(row["month_micro_usd"]),
  monthTokens: numberValue(row["month_tokens"]),
  createdAt: numberValue(row["created_at"]),
  updatedAt: numberValue(row["updated_at"]),
});

const itemRow = (row: Row): FleetItemRow => ({
  fleet: numberValue(row["fleet"]),
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  state: textValue(row["state"]) as ItemState,
  attempt: numberValue(row["attempt"]),
  crashes: numberValue(row["crashes"]),
  version: orNull(row["version"], Number),
  pid: orNull(row["pid"], String),
  process: orNull(row["process"], Number),
  reason: orNull(row["reason"], String),
  input: textValue(row["input"]),
  label: textValue(row["label"]),
  sentAt: numberValue(row["sent_at"]),
  sentBy: textValue(row["sent_by"]),
  notBefore: numberValue(row["not_before"]),
  begunAt: orNull(row["begun_at"], Number),
  endedAt: orNull(row["ended_at"], Number),
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
});

const runRow = (row: Row): FleetRunRow => ({
  fleet: numberValue(row["fleet"]),
  item: textValue(row["item"]),
  pid: textValue(row["pid"]),
  process: numberValue(row["process"]),
  tenant: numberValue(row["tenant"]),
  version: numberValue(row["version"]),
  at: numberValue(row["at"]),
  endedAt: orNull(row["ended_at"], Number),
  isError: numberValue(row["is_error"]) === 1,
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
});

const eventRow = (row: Row): FleetEventRow => ({
  fleet: numberValue(row["fleet"]),
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  at: numberValue(row["at"]),
  what: textValue(row["what"]),
  by: textValue(row["person"]),
  detail: textValue(row["detail"]),
});

export interface FleetPage {
  readonly fleet: number;
  /** Those that are older than this one. */
  readonly before?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
}

/** How many items of each state there are, and when the oldest that waits was sent. */
export interface FleetCounts extends Readonly<Record<ItemState, number>> {
  readonly oldestAt: number | null;
}

export interface FleetRunQuery {
  readonly fleet: number;
  /** Of any, where none is named. */
  readonly version?: number;
  /** The first ones, in place of the last. */
  readonly isFirst?: boolean;
  readonly limit: number;
}

export interface FleetReads {
  /** By tenant and name; of all tenants where none is named. */
  fleets(tenant?: TenantKey): Promise<FleetRow[]>;
  fleet(tenant: TenantKey, name: string): Promise<FleetRow | undefined>;
  fleetByKey(key: number): Promise<FleetRow | undefined>;
  /** Takes those of nodes that are not alive; answers all that are this node's. */
  claimFleets(node: string, nowMs: number): Promise<FleetRow[]>;
  fleetItem(fleet: number, id: string): Promise<FleetItemRow | undefined>;
  /** The newest first. */
  fleetItems(page: FleetPage & { readonly state?: ItemState }): Promise<FleetItemRow[]>;
  fleetCounts(fleet: number): Promise<FleetCounts>;
  /** That may be begun now; the first that was sent first. */
  dueItems(fleet: number, nowMs: number, limit: number): Promise<FleetItemRow[]>;
  /** When the next of those that wait may be begun. */
  nextDue(fleet: number): Promise<number | null>;
  runningItems(fleet: number): Promise<FleetItemRow[]>;
  /** Of the running ones, those whose process has ended or is not there any more. */
  endedItems(fleet: number): Promise<FleetItemRow[]>;
  /** Those that ended. */
  fleetRuns(query: FleetRunQuery): Promise<FleetRunRow[]>;
  /** How many items a version was given. */
  itemsOfVersion(fleet: number, version: number): Promise<number>;
  /** The newest first. */
  fleetEvents(page: FleetPage): Promise<FleetEventRow[]>;
  fleetEvent(fleet: number, id: string): Promise<FleetEventRow | undefined>;
}

export const TAKE_FLEETS = `
  update fleet set node = ? where node <> ?
    and not exists (select 1 from node where node.name = fleet.node and node.expires_at > ?)`;

const page = (table: string, time: string, hasState: boolean, isLater: boolean): string =>
  `select * from ${table} where fleet = ?${hasState ? " and state = ?" : ""}${
    isLater ? ` and (${time} < ? or (${time} = ? and id < ?))` : ""
  } order by ${time} desc, id desc limit ?`;

export const fleetReads = (query: RunQuery): FleetReads => ({
  async fleets(tenant) {
    const rows =
      tenant === undefined
        ? await query("select * from fleet order by tenant, name", [])
        : await query("select * from fleet where tenant = ? order by name", [tenant]);
    return rows.map(fleetRow);
  },
  async fleet(tenant, name) {
    const sql = "select * from fleet where tenant = ? and name = ?";
    const [row] = await query(sql, [tenant, name]);
    return row && fleetRow(row);
  },
  async fleetByKey(key) {
    const [row] = await query("select * from fleet where key = ?", [key]);
    return row && fleetRow(row);
  },
  async claimFleets(node, nowMs) {
    await query(TAKE_FLEETS, [node, node, nowMs]);
    return (await query("select * from fleet where node = ?", [node])).map(fleetRow);
  },
  async fleetItem(fleet, id) {
    const [row] = await query("select * from fleet_item where fleet = ? and id = ?", [fleet, id]);
    return row && itemRow(row);
  },
  async fleetItems({ fleet, state, before, limit }) {
    const sql = page("fleet_item", "sent_at", state !== undefined, before !== undefined);
    const rows = await query(sql, [
      fleet,
      ...(state === undefined ? [] : [state]),
      ...(before === undefined ? [] : [before.at, before.at, before.id]),
      limit,
    ]);
    return rows.map(itemRow);
  },
  async fleetCounts(fleet) {
    const rows = await query(
      "select state, count(*) as items, min(sent_at) as oldest from fleet_item where fleet = ? group by state",
      [fleet],
    );
    const of = (state: ItemState) => rows.find((row) => row["state"] === state);
    const count = (state: ItemState) => Number(of(state)?.["items"] ?? 0);
    return {
      waiting: count("waiting"),
      running: count("running"),
      done: count("done"),
      dead: count("dead"),
      oldestAt: orNull(of("waiting")?.["oldest"] ?? null, Number),
    };
  },
  async dueItems(fleet, nowMs, limit) {
    const rows = await query(
      `select * from fleet_item where fleet = ? and state = 'waiting' and not_before <= ?
         order by sent_at, id limit ?`,
      [fleet, nowMs, limit],
    );
    return rows.map(itemRow);
  },
  async nextDue(fleet) {
    const [row] = await query(
      "select min(not_before) as next from fleet_item where fleet = ? and state = 'waiting'",
      [fleet],
    );
    return orNull(row!["next"], Number);
  },
  async runningItems(fleet) {
    const sql =
      "select * from fleet_item where fleet = ? and state = 'running' order by begun_at, id";
    return (await query(sql, [fleet])).map(itemRow);
  },
  async endedItems(fleet) {
    const rows = await query(
      `select * from fleet_item where fleet = ? and state = 'running' and not exists (
         select 1 from process where process.key = fleet_item.process and ended_at is null)
       order by begun_at, id`,
      [fleet],
    );
    return rows.map(itemRow);
  },
  async fleetRuns({ fleet, version, isFirst = false, limit }) {
    const direction = isFirst ? "asc" : "desc";
    const rows = await query(
      `select * from fleet_run where fleet = ? and ended_at is not null${version === undefined ? "" : " and version = ?"}
         order by ended_at ${direction}, process ${direction} limit ?`,
      [fleet, ...(version === undefined ? [] : [version]), limit],
    );
    return rows.map(runRow);
  },
  async itemsOfVersion(fleet, version) {
    const [row] = await query(
      "select count(distinct item) as items from fleet_run where fleet = ? and version = ?",
      [fleet, version],
    );
    return numberValue(row!["items"]);
  },
  async fleetEvents({ fleet, before, limit }) {
    const sql = page("fleet_event", "at", false, before !== undefined);
    const after = before === undefined ? [] : [before.at, before.at, before.id];
    return (await query(sql, [fleet, ...after, limit])).map(eventRow);
  },
  async fleetEvent(fleet, id) {
    const [row] = await query("select * from fleet_event where fleet = ? and id = ?", [fleet, id]);
    return row && eventRow(row);
  },
});
