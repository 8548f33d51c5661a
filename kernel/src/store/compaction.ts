// Compaction: what goes with the history of a finished run. The same SQL for both databases.

/** Tables whose rows of a process go with its history. Files go by `space`. */
export const COMPACTED_TABLES = [
  "message", // but for what came by a durable subscription: RETURN_BACKLOG comes first
  "signal",
  "question",
  "vote",
  "subscription",
  "request",
  "dead_letter",
  "blob_use",
  "core",
] as const;

/** Of a process, which follows: what it has not received of a durable subscription waits for the next that subscribes. */
export const RETURN_BACKLOG =
  "update message set process = -subscription where subscription is not null and process";

/** Which processes may lose their history: the ended, unless a fork still shares it. */
export const MAY_COMPACT = `
  ended_at is not null and compacted = 0
    and not exists (select 1 from process fork where fork.shared_from = process.key and fork.compacted = 0)`;

/** `?1` is the tenant, `?2` the digest. */
export const DROP_IF_UNUSED = `
  delete from blob where tenant = ? and digest = ? and not exists (
    select 1 from blob_use where blob_use.tenant = blob.tenant and blob_use.digest = blob.digest)`;
