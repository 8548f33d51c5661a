// First tables: what a database of version 1 has. The steps from there on are in schema.ts; this one was released
// and is never edited.

import type { SchemaStep } from "./schema-step.ts";

export const firstTables: SchemaStep = {
  version: 1,
  statements: (dialect) => {
    const sqlite = dialect === "sqlite";
    const key = sqlite ? "integer primary key" : "bigint primary key";
    const int = sqlite ? "integer" : "bigint";
    const real = sqlite ? "real" : "double precision";
    const bytes = sqlite ? "blob" : "bytea";
    const flag = "integer";
    // Compared by code point, whatever the language of the database: ranges of paths and ids rely on it.
    const word = sqlite ? "text" : `text collate "C"`;
    return [
      `create table tenant (id ${key}, name text not null unique)`,
      `create table counter (name text primary key, tenant ${int} not null, next ${int} not null)`,
      `insert into counter values ('key', 0, 1)`,
      `insert into tenant values (1, 'default')`,
      `create table process (
         key ${key}, tenant ${int} not null, pid ${word} not null unique, agent text not null,
         parent ${int}, parent_pid text, root ${int} not null, depth integer not null,
         state text not null, waiting_on text, wake_at ${int}, base ${int} not null default 0, exit_code integer,
         started_at ${int} not null, ended_at ${int}, shared_from ${int}, label text, compacted ${flag} not null default 0,
         spec text not null, output text, error text)`,
      `create index process_living on process (state) where ended_at is null`,
      `create index process_tree on process (root) where ended_at is null`,
      `create index process_wake on process (wake_at) where wake_at is not null`,
      `create index process_parent on process (parent) where parent is not null`,
      `create index process_shared on process (shared_from) where shared_from is not null`,
      `create index process_ended on process (ended_at) where ended_at is not null and compacted = 0`,
      `create table chain (
         process ${key}, tenant ${int} not null, node text not null, epoch ${int} not null, seq ${int} not null,
         pos ${int} not null, hash ${bytes} not null, usd ${real} not null, tokens ${int} not null,
         tool_calls ${int} not null, bytes ${int} not null, grown_at ${int} not null)`,
      sqlite
        ? `create table journal (
             pos integer primary key, tenant integer not null, process integer not null, prev integer not null,
             record text not null, hash blob not null)`
        : `create table journal (
             process bigint not null, seq bigint not null, tenant bigint not null,
             record text not null, hash bytea not null, primary key (process, seq))`,
      `create table blob (tenant ${int} not null, digest text not null, body text not null, primary key (tenant, digest))`,
      `create table blob_use (tenant ${int} not null, digest text not null, process ${int} not null, primary key (tenant, digest, process))`,
      `create index blob_use_of on blob_use (process)`,
      `create table manifest (tenant ${int} not null, hash text not null, body text not null, primary key (tenant, hash))`,
      `create table message (
         key ${key}, tenant ${int} not null, process ${int} not null, id text not null, sender text not null,
         type text not null, topic text, reply_to text, body text not null, cause text not null,
         sent_at ${int} not null, label text not null)`,
      `create index message_of on message (process, key)`,
      `create table subscription (tenant ${int} not null, topic text not null, process ${int} not null, primary key (tenant, topic, process))`,
      `create index subscription_of on subscription (process)`,
      `create table signal (
         key ${key}, tenant ${int} not null, process ${int} not null, signal text not null, cause text not null, sent_at ${int} not null)`,
      `create index signal_of on signal (process, key)`,
      `create table file (
         tenant ${int} not null, space ${int} not null, path ${word} not null, data text not null, writer text not null,
         label text not null, written_at ${int} not null, primary key (tenant, space, path))`,
      `create table question (
         id ${word} primary key, tenant ${int} not null, process ${int} not null, pid text not null, n ${int} not null,
         kind text not null, question text not null, choices text not null, digest text not null,
         asked_at ${int} not null, expires_at ${int}, answer text, reason text, answered_by text, answered_at ${int})`,
      `create index question_of on question (process)`,
      `create table block (id text primary key, tenant ${int} not null, state text not null)`,
      `create table core (process ${key}, tenant ${int} not null, body text not null)`,
      `create table node (name text primary key, tenant ${int} not null, expires_at ${int} not null)`,
    ];
  },
};
