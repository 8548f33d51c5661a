// Parts: the store by itself, for the tests of this repository. It is no promise to anybody else.

export type { Extension, ProcessQuery, SharedHistory, Write } from "./contract.ts";
export type { OpenedStore } from "./mail-reports.ts";
export { openStore, type StoreLocation } from "./open.ts";
export { locks } from "./postgres/locks.ts";
export { payloads } from "./postgres/wake-channel.ts";
export type { PostRow } from "./post-rows.ts";
export type { RemovalRow } from "./queries.ts";
export type {
  DeadLetterRow,
  FileRow,
  HoldingRow,
  LedgerRow,
  MessageRow,
  ProcessRow,
  QuestionRow,
  SignalRow,
  VoteRow,
} from "./rows.ts";
export {
  fleetWrite,
  type FleetChange,
  type FleetItemRow,
  type FleetRow,
  type FleetRunRow,
} from "./fleet-rows.ts";
export {
  scheduleWrite,
  type ScheduleChange,
  type ScheduleRow,
  type TickRow,
} from "./schedule-rows.ts";
export { SCHEMA_VERSION } from "./schema.ts";
export { undos } from "./schema-undo.ts";
export type { SpendRow } from "./spend-row.ts";
export { LoneWrites } from "./sqlite/lone-writes.ts";
export { openSqliteStore, type SqliteStore } from "./sqlite/sqlite-store.ts";
export { openSqliteThread } from "./sqlite/thread.ts";
