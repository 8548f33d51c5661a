// Schema undo: how a step of the schema is reverted, so that the release before can open the database.
//
// SCHEMA-UNDO-1  A step is not reverted if that would lose data.
// SCHEMA-UNDO-2  All steps are taken back, or none.

import type { SchemaStep } from "./schema-step.ts";

interface Undo {
  readonly version: number;
  /** A query that finds something only where the step cannot be taken back, and why not. */
  readonly unless?: readonly (readonly [query: string, reason: string])[];
  readonly statements: SchemaStep["statements"];
}

export const undos: readonly Undo[] = [
  {
    version: 22,
    unless: [
      ["select 1 from post where state = 'waiting' limit 1", "notifications or messages wait"],
    ],
    statements: () => ["drop table post", "drop table used_link", "drop table post_mark"],
  },
  {
    version: 21,
    unless: [["select 1 from fleet limit 1", "there are fleets"]],
    statements: () => [
      "drop table fleet_event",
      "drop table fleet_run",
      "drop table fleet_item",
      "drop table fleet",
    ],
  },
  {
    version: 20,
    statements: () => ["drop index process_name", "alter table process drop column name"],
  },
  {
    version: 19,
    unless: [
      [`select 1 from schedule where spec like '%"on":%' limit 1`, "schedules have triggers"],
    ],
    statements: () => [
      "drop index tick_run",
      "alter table tick drop column given",
      "alter table schedule drop column seen",
    ],
  },
  {
    version: 18,
    unless: [["select 1 from schedule limit 1", "there are schedules"]],
    statements: () => ["drop table tick", "drop table schedule"],
  },
  // What it had is folded before (roll-back-schema.ts).
  { version: 17, statements: (dialect) => (dialect === "sqlite" ? ["drop table redo"] : []) },
  {
    version: 16,
    unless: [["select 1 from erasure limit 1", "records were erased, which only it accepts"]],
    statements: () => ["drop table erasure"],
  },
  { version: 15, statements: () => ["drop table embedding"] },
  {
    version: 14,
    unless: [
      [
        `select 1 from message where lane is not null or expires_at is not null or stream is not null
           or subscription is not null limit 1`,
        "messages with a lane, a lifetime or a stream wait to be received",
      ],
      [
        "select 1 from subscription where is_pattern = 1 limit 1",
        "there are subscriptions to patterns",
      ],
      ["select 1 from durable_subscription limit 1", "there are durable subscriptions"],
      ["select 1 from topic limit 1", "topics have schemas"],
    ],
    statements: () => [
      "drop table topic",
      "drop table durable_subscription",
      "drop index subscription_pattern",
      "alter table subscription drop column is_pattern",
      ...["lane", "cause", "cut", "topic"].map(
        (name) => `alter table dead_letter drop column ${name}`,
      ),
      "drop index message_by_subscription",
      "drop index message_expiring",
      ...["subscription", "stream", "expires_at", "lane"].map(
        (name) => `alter table message drop column ${name}`,
      ),
    ],
  },
  {
    version: 13,
    statements: (dialect) =>
      (dialect === "sqlite" ? [] : ["chain", "spend"]).map(
        (table) => `alter table ${table} reset (fillfactor)`,
      ),
  },
  {
    version: 12,
    unless: [["select 1 from removal limit 1", "old results were removed, which only it records"]],
    statements: () => [
      "drop index holding_giver",
      "drop index process_member",
      "drop index process_result",
      "drop table removal",
    ],
  },
  {
    version: 11,
    statements: (dialect) => (dialect === "sqlite" ? [] : ["drop function aos_commit_1"]),
  },
  {
    version: 10,
    statements: () => [
      "create index process_living on process (state) where ended_at is null",
      "create index process_parent on process (parent) where parent is not null",
      "drop index process_children",
      "drop index process_of_tenant",
      "drop index process_by_state",
    ],
  },
  { version: 9, statements: () => ["alter table blob_use drop column state_seq"] },
  {
    version: 8,
    unless: [["select 1 from blob where in_parts <> 0 limit 1", "values are stored in parts"]],
    statements: () => ["alter table blob drop column in_parts"],
  },
  {
    version: 7,
    unless: [
      [
        "select 1 from tenant where ceiling is not null or removed_at is not null limit 1",
        "tenants have ceilings, or were removed",
      ],
    ],
    statements: () => [
      "alter table tenant drop column removed_at",
      "alter table tenant drop column ceiling",
    ],
  },
  {
    version: 6,
    unless: [
      ["select 1 from request limit 1", "requests wait for their answers"],
      ["select 1 from dead_letter limit 1", "there are dead letters"],
    ],
    statements: () => ["drop table dead_letter", "drop table request"],
  },
];

/** The lowest schema that can be restored: the fifth step changed how money is stored. */
export const LOWEST_SCHEMA = undos.at(-1)!.version - 1;
