// Schedule reads: schedules and their ticks. The same words for both databases.

import { messageRow } from "./mail-reads.ts";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { MessageRow, ProcessKey, TenantKey } from "./rows.ts";
import type { ScheduleRow, TickRow } from "./schedule-rows.ts";

const scheduleRow = (row: Row): ScheduleRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  name: textValue(row["name"]),
  node: textValue(row["node"]),
  revision: numberValue(row["revision"]),
  spec: textValue(row["spec"]),
  grants: textValue(row["grants"]),
  paused: orNull(row["paused"], String),
  cursor: numberValue(row["cursor"]),
  failures: numberValue(row["failures"]),
  skips: numberValue(row["skips"]),
  month: numberValue(row["month"]),
  monthMicroUsd: numberValue(row["month_micro_usd"]),
  monthTokens: numberValue(row["month_tokens"]),
  createdAt: numberValue(row["created_at"]),
  updatedAt: numberValue(row["updated_at"]),
  ...(row["seen"] === null ? {} : { seen: textValue(row["seen"]) }),
});

const tickRow = (row: Row): TickRow => ({
  schedule: numberValue(row["schedule"]),
  id: textValue(row["id"]),
  tenant: numberValue(row["tenant"]),
  nominal: numberValue(row["nominal"]),
  dueAt: numberValue(row["due_at"]),
  at: numberValue(row["at"]),
  outcome: textValue(row["outcome"]) as TickRow["outcome"],
  reason: orNull(row["reason"], String),
  pid: orNull(row["pid"], String),
  process: orNull(row["process"], Number),
  state: orNull(row["state"], String),
  exitCode: orNull(row["exit_code"], Number),
  endedAt: orNull(row["ended_at"], Number),
  reservedMicroUsd: numberValue(row["reserved_micro_usd"]),
  reservedTokens: numberValue(row["reserved_tokens"]),
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
  ...(row["given"] === null ? {} : { given: textValue(row["given"]) }),
});

/** Runs that nobody's parent started and that ended from then on. */
export interface EndedQuery {
  readonly schedule: number;
  readonly tenant: TenantKey;
  readonly agent: string;
  readonly states: readonly string[];
  readonly since: number;
  readonly limit: number;
}

export interface EndedRun {
  readonly key: ProcessKey;
  readonly pid: string;
  readonly endedAt: number;
}

export interface TickQuery {
  readonly schedule: number;
  /** Those that are older than this one. */
  readonly before?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface ScheduleReads {
  /** By tenant and name; of all tenants where none is named. */
  schedules(tenant?: TenantKey): Promise<ScheduleRow[]>;
  schedule(tenant: TenantKey, name: string): Promise<ScheduleRow | undefined>;
  scheduleByKey(key: number): Promise<ScheduleRow | undefined>;
  /** Takes those of nodes that are not alive; answers all that are this node's. */
  claimSchedules(node: string, nowMs: number): Promise<ScheduleRow[]>;
  tick(schedule: number, id: string): Promise<TickRow | undefined>;
  /** The newest first. */
  ticks(query: TickQuery): Promise<TickRow[]>;
  /** Those that wait or whose run has not been seen to end; the oldest first. */
  openTicks(schedule: number): Promise<TickRow[]>;
  /** The tick that started a process. */
  tickOfRun(process: ProcessKey): Promise<TickRow | undefined>;
  /** How many were started since then. */
  startsSince(schedule: number, at: number): Promise<number>;
  /** The oldest messages that a durable subscription has and nobody has received. */
  backlog(durable: number, limit: number): Promise<MessageRow[]>;
  /** Those that have no tick of this schedule yet; the first to end first. */
  endedRuns(query: EndedQuery): Promise<EndedRun[]>;
  /** When the tick with this place among the newest was decided; undefined where there are fewer. */
  tickTime(schedule: number, place: number): Promise<number | undefined>;
}

export const TAKE_SCHEDULES = `
  update schedule set node = ? where node <> ?
    and not exists (select 1 from node where node.name = schedule.node and node.expires_at > ?)`;

const endedRuns = (states: number) => `
  select key, pid, ended_at from process
    where ended_at is not null and compacted = 0 and ended_at >= ? and tenant = ? and agent = ? and parent is null
      and state in (${Array(states).fill("?").join(", ")})
      and not exists (select 1 from tick where tick.schedule = ? and tick.id = 'run:' || process.pid)
    order by ended_at, key limit ?`;

export const scheduleReads = (query: RunQuery): ScheduleReads => ({
  async schedules(tenant) {
    const rows =
      tenant === undefined
        ? await query("select * from schedule order by tenant, name", [])
        : await query("select * from schedule where tenant = ? order by name", [tenant]);
    return rows.map(scheduleRow);
  },
  async schedule(tenant, name) {
    const sql = "select * from schedule where tenant = ? and name = ?";
    const [row] = await query(sql, [tenant, name]);
    return row && scheduleRow(row);
  },
  async scheduleByKey(key) {
    const [row] = await query("select * from schedule where key = ?", [key]);
    return row && scheduleRow(row);
  },
  async claimSchedules(node, nowMs) {
    await query(TAKE_SCHEDULES, [node, node, nowMs]);
    return (await query("select * from schedule where node = ?", [node])).map(scheduleRow);
  },
  async tick(schedule, id) {
    const [row] = await query("select * from tick where schedule = ? and id = ?", [schedule, id]);
    return row && tickRow(row);
  },
  async ticks({ schedule, before, limit }) {
    const rows =
      before === undefined
        ? await query("select * from tick where schedule = ? order by at desc, id desc limit ?", [
            schedule,
            limit,
          ])
        : await query(
            `select * from tick where schedule = ? and (at < ? or (at = ? and id < ?))
               order by at desc, id desc limit ?`,
            [schedule, before.at, before.at, before.id, limit],
          );
    return rows.map(tickRow);
  },
  async openTicks(schedule) {
    const rows = await query(
      "select * from tick where schedule = ? and is_open = 1 order by nominal, id",
      [schedule],
    );
    return rows.map(tickRow);
  },
  async tickOfRun(process) {
    const [row] = await query("select * from tick where process = ?", [process]);
    return row && tickRow(row);
  },
  async startsSince(schedule, at) {
    const [row] = await query(
      "select count(*) as starts from tick where schedule = ? and at >= ? and process is not null",
      [schedule, at],
    );
    return numberValue(row!["starts"]);
  },
  async backlog(durable, limit) {
    const sql = "select * from message where process = ? order by key limit ?";
    return (await query(sql, [-durable, limit])).map(messageRow);
  },
  async endedRuns({ schedule, tenant, agent, states, since, limit }) {
    const sql = endedRuns(states.length);
    const rows = await query(sql, [since, tenant, agent, ...states, schedule, limit]);
    return rows.map((row) => ({
      key: numberValue(row["key"]),
      pid: textValue(row["pid"]),
      endedAt: numberValue(row["ended_at"]),
    }));
  },
  async tickTime(schedule, place) {
    const [row] = await query(
      "select at from tick where schedule = ? order by at desc limit 1 offset ?",
      [schedule, place],
    );
    return row && numberValue(row["at"]);
  },
});
